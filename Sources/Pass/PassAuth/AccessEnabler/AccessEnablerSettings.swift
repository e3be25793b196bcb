extension AccessEnabler {
    /// The sign-in and log-out settings.
    public struct Settings: Sendable {
        /// The screen on which the user signs in.
        @frozen
        public enum Screen: Sendable, Hashable {
            /// This one: the app shows a page (iOS).
            case first
            /// Another one, with a code (tvOS).
            case second
        }

        /// The screen on which the user signs in.
        public var screen: Screen
        /// The address that the pages finally redirect to, for an app that shows them in its own view or listens at a
        /// loopback address.
        public var redirectURL: String
        /// The address that the pages finally redirect to, for an app that shows a secure browser: an address with the
        /// app's own scheme, such as `adbe.abc://adobe.com`. Nil if the app has none.
        public var customRedirectURL: String?
        /// The options of every call to the back end, until `setOptions` changes them.
        public var options: ClientOptions
        /// The interval between two polls for a sign-in on a second screen, at least one second; doubled after a
        /// failure.
        public var pollInterval: Duration
        /// The time limit of a call to the back end.
        public var timeout: Duration
        /// The time for which a log-out waits for its page; after that, the log-out ends without it.
        public var logOutTimeout: Duration
        /// Indicates whether a sign-in uses the TV provider of the last successful sign-in, without a picker.
        public var skipsPickerForLastProvider: Bool

        /// Creates settings.
        ///
        /// - Parameters:
        ///   - screen: The screen on which the user signs in.
        ///   - redirectURL: The address that the pages finally redirect to.
        ///   - customRedirectURL: The address that they redirect to in a secure browser.
        ///   - options: The options of every call to the back end.
        ///   - pollInterval: The interval between two polls for a sign-in on a second screen.
        ///   - timeout: The time limit of a call to the back end.
        ///   - logOutTimeout: The time for which a log-out waits for its page.
        ///   - skipsPickerForLastProvider: Whether the TV provider of the last successful sign-in is used without a
        ///     picker.
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
                // Servers allow one poll per second.
                pollInterval: max(.seconds(1), pollInterval),
                logOutLimit: logOutTimeout,
                skipsPickerForLastProvider: skipsPickerForLastProvider
            )
        }
    }
}
