/// The purpose of a ticket.
enum Purpose: Sendable, Equatable {
    case question(QuestionPurpose)
    case step(StepPurpose)
    case wait(WaitPurpose)

    var isOfSignIn: Bool {
        switch self {
        case .question(.start), .question(.profile), .step(.choice), .step(.signIn), .wait(.poll): true
        default: false
        }
    }

    var isOfConfiguration: Bool {
        switch self {
        case .question(.registration), .question(.configuration), .question(.passive), .step(.integrity),
            .step(.preparation), .step(.passiveSignIn), .wait(.slowServers):
            true
        default: false
        }
    }
}

/// The purpose of a request to the back end.
enum QuestionPurpose: Sendable, Equatable {
    case registration, configuration(String?), passive(String)
    case start, profile
    case authorization(CallID), mediaToken(CallID)
    case preauthorization(CallID), metadata(CallID, MetadataKey, PassSession)
    case logOutURL
}

/// The purpose of a step of the store.
enum StepPurpose: Sendable, Equatable {
    case integrity, preparation, passiveSignIn(String)
    case choice, signIn, cancellation
    case authorizationKept(CallID)
    case wipe
    /// No flow waits for the step.
    case nothing
}

/// The purpose of a wait.
enum WaitPurpose: Sendable, Equatable {
    case poll, logOutLeg, slowServers
}
