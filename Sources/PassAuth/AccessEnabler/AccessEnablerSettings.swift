extension AccessEnabler {
    /// The settings of sign-in and log-out.
    public struct Settings: Sendable {
        /// The place at which the person signs in.
        @frozen
        public enum Screen: Sendable, Hashable {
            /// On this one: the app shows a page (iOS).
            case first
            /// On another one, with a code (tvOS).
            case second
        }

        /// The place at which the person signs in.
        public var screen: Screen
        /// The last address of pages, for an app that shows them in a view of its own, or listens at a loopback
        /// address.
        public var redirectURL: String
        /// The last address of pages, for an app that shows a secure browser: an address under its own scheme, such
        /// as `adbe.abc://adobe.com`. Nil where it has none.
        public var customRedirectURL: String?
        /// The options of every call of the back end, until `setOptions` changes them.
        public var options: ClientOptions
        /// The pause between two looks at a second screen; after a failure it is twice as long.
        public var pollInterval: Duration
        /// The time limit of a call of the back end.
        public var timeout: Duration
        /// The time for which a log-out waits for its page; then it has ended all the same.
        public var logOutTimeout: Duration
        /// Whether a sign-in goes on with the TV provider that the last one went well with, without a picker.
        public var skipsPickerForLastProvider: Bool

        /// Makes settings.
        ///
        /// - Parameters:
        ///   - screen: The place at which the person signs in.
        ///   - redirectURL: The last address of pages.
        ///   - customRedirectURL: Their last address in a secure browser.
        ///   - options: The options of every call of the back end.
        ///   - pollInterval: The pause between two looks at a second screen.
        ///   - timeout: The time limit of a call of the back end.
        ///   - logOutTimeout: The time for which a log-out waits for its page.
        ///   - skipsPickerForLastProvider: Whether the TV provider of the last good sign-in is taken without a picker.
        public init(
            screen: Screen = .first,
            redirectURL: String = EntitlementConstant.ADOBEPASS_REDIRECT_URL,
            customRedirectURL: String? = nil,
            options: ClientOptions = ClientOptions(),
            pollInterval: Duration = .seconds(5),
            timeout: Duration = .seconds(30),
            logOutTimeout: Duration = .seconds(30),
            skipsPickerForLastProvider: Bool = true
        ) {
            self.screen = screen
            self.redirectURL = redirectURL
            self.customRedirectURL = customRedirectURL
            self.options = options
            self.pollInterval = pollInterval
            self.timeout = timeout
            self.logOutTimeout = logOutTimeout
            self.skipsPickerForLastProvider = skipsPickerForLastProvider
        }

        func rules(for tokens: PassTokenStore) -> EntitlementRules {
            EntitlementRules(
                fingerprint: tokens.device.fingerprint,
                publicKey: tokens.options.publicKey,
                redirectURL: RedirectURL(
                    plain: redirectURL,
                    secure: customRedirectURL,
                    isSecondScreen: screen == .second
                ),
                // Servers take one look a second.
                pollInterval: max(.seconds(1), pollInterval),
                logOutLimit: logOutTimeout,
                skipsPickerForLastProvider: skipsPickerForLastProvider
            )
        }
    }
}
