package import ThrongPlan

extension Intake {
    /// The largest body of `POST /v1/credentials`: chains of certificates take some kilobytes. Unit: bytes.
    package static let credentialBytes = 64 << 10

    /// Reads the body of `POST /v1/credentials`: `app`, `epoch`, `request`, and `attestation` with `by` and other strings.
    package func readCredential(_ body: UnsafeBufferPointer<UInt8>) throws(IntakeError) -> IncomingCredential {
        guard body.count <= Self.credentialBytes else { throw .bodyTooLarge(limit: Self.credentialBytes) }
        guard let parser = JSONParser(depth: 3) else { throw .noMemory }
        defer { withExtendedLifetime(parser) {} }
        let document = try parser.parse(body, limits: IntakeLimits(depth: 3))
        let members = try NamedMembers<CredentialMember>(document)
        let app = try members.text(.app)
        let texts = (epoch: try members.text(.epoch), request: try members.text(.request))
        let attestation = try members.node(.attestation)
        guard document.isObject(attestation) else {
            throw .wrongShape(pointer: "/attestation", expected: "an object with by")
        }
        var evidence: [String: String] = [:]
        var key = attestation + 1
        for _ in 0..<document.count(attestation) {
            guard document.isString(key + 1) else {
                throw .wrongShape(pointer: "/attestation", expected: "an object of strings")
            }
            evidence[document.text(key)] = document.text(key + 1)
            key = document.next(key + 1)
        }
        guard let attester = evidence.removeValue(forKey: "by") else {
            throw .wrongShape(pointer: "/attestation/by", expected: "a string")
        }
        guard let place = appNames[document.bytes(app)] else { throw .unknownApp }
        return IncomingCredential(
            app: apps[place].name, epoch: document.text(texts.epoch), request: document.text(texts.request),
            attester: attester, evidence: evidence)
    }

    /// Returns the app with a name; nil if no plan is for it.
    package func app(named name: String) -> AppName? { apps.first { $0.name.text == name }?.name }
}

/// A client's request for a credential, with its attestation: the body of `POST /v1/credentials`.
package struct IncomingCredential: Sendable {
    package let app: AppName
    package let epoch: String
    package let request: String
    package let attester: String
    /// The attestation's other members.
    package let evidence: [String: String]
}

private enum CredentialMember: String, CaseIterable { case app, epoch, request, attestation }

extension JSONDocument { fileprivate func text(_ node: Int) -> String { String(decoding: bytes(node), as: UTF8.self) } }
