import ArgumentParser
import Foundation
import ThrongAttestation
import ThrongPlan
import ThrongWire

/// A device's half of credentials: a line of words in, a line out, bytes in base64url.
struct CredentialProbe: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credential",
        abstract: "Asks for and shows credentials, line by line.",
        discussion: """
            request KEY APP EPOCH               answers with what is to be kept, and the request
            finalize KEPT RESPONSE              answers with the credential
            present CREDENTIAL APP PURPOSE WINDOW   answers with the identifier, and what shows it
            """)

    func run() {
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            do {
                print(try Self.answer(to: words))
            } catch {
                print("refused")
            }
            fflush(nil)
        }
    }

    private static func answer(to words: [String]) throws -> String {
        switch (words.first, words.count) {
        case ("request", 4):
            guard let epoch = Epoch(words[3]) else { return "malformed" }
            let made = Precredential(
                for: try IssuerKey(rawRepresentation: bytes(words[1])),
                requestContext: try epoch.requestContext(of: AppName(words[2])))
            return Base64URL.text(of: made.rawRepresentation) + " " + Base64URL.text(of: made.request.rawRepresentation)
        case ("finalize", 3):
            let made = try Precredential(rawRepresentation: bytes(words[1]))
            let credential = try made.finalize(CredentialResponse(rawRepresentation: bytes(words[2])))
            return Base64URL.text(of: credential.rawRepresentation)
        case ("present", 5):
            let credential = try Credential(rawRepresentation: bytes(words[1]))
            let context = try PresentationContext.window(
                WindowNumber(Int64(words[4]) ?? 0), of: PurposeName(words[3]), app: AppName(words[2]))
            let shown = credential.present(for: context.bytes)
            return Base64URL.text(of: shown.tag.rawRepresentation) + " " + Base64URL.text(of: shown.rawRepresentation)
        default: return "malformed"
        }
    }

    private static func bytes(_ text: String) -> [UInt8] { AnyBase64.bytes(text) ?? [] }
}
