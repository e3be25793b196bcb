extension AccessEnabler {
    /// How sign-in and log-out work.
    public struct Settings: Sendable {
        /// Where the person signs in.
        @frozen
        public enum Screen: Sendable, Hashable {
            /// On this one: the app shows a page (iOS).
            case first
            /// On another one, with a code (tvOS).
            case second
        }

        /// Where the person signs in.
        public var screen: Screen
        /// Where pages lead in the end, for an app that shows them in a view of its own, or listens at a loopback
        /// address.
        public var redirectURL: String
        /// Where pages lead in the end, for an app that shows a secure browser: an address under its own scheme, such
        /// as `adbe.abc://adobe.com`. Nil where it has none.
        public var customRedirectURL: String?
        /// What goes with every call of the back end, until `setOptions` changes it.
        public var options: ClientOptions
        /// How long to wait between two looks at a second screen; after a failure twice as long.
        public var pollInterval: Duration
        /// How long a call of the back end may take.
        public var timeout: Duration
        /// How long a log-out waits for its page to end; then it has ended all the same.
        public var logOutTimeout: Duration
        /// Whether a sign-in goes on with the TV provider that the last one went well with, without a picker.
        public var skipsPickerForLastProvider: Bool

        /// Makes settings.
        ///
        /// - Parameters:
        ///   - screen: Where the person signs in.
        ///   - redirectURL: Where pages lead in the end.
        ///   - customRedirectURL: Where they lead in a secure browser.
        ///   - options: What goes with every call of the back end.
        ///   - pollInterval: How long to wait between two looks at a second screen.
        ///   - timeout: How long a call of the back end may take.
        ///   - logOutTimeout: How long a log-out waits for its page to end.
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
