internal import HTTPTypes

/// Why an address shows no numbers, for whoever looks. It says what is allowed, and never what was found: an address can
/// be anybody's text.
struct ExplorerProblem: Error {
    let status: HTTPResponse.Status
    let heading: String
    let text: String
    /// What the address may say instead.
    let allowed: [String]

    /// The most things that are listed.
    private static let most = 60

    init(_ status: HTTPResponse.Status, _ heading: String, _ text: String, allowed: [String] = []) {
        self.status = status
        self.heading = heading
        self.text = text
        self.allowed =
            allowed.count > Self.most
            ? allowed.prefix(Self.most) + ["and \(allowed.count - Self.most) more"] : allowed
    }

    /// Something that the address names is not there.
    static func unknown(_ parameter: String, allowed: [String]) -> ExplorerProblem {
        ExplorerProblem(
            .badRequest, "This address can\u{2019}t be read",
            "What it says for \u{201c}\(parameter)\u{201d} is not there. Possible are:", allowed: allowed)
    }
}
