internal import ThrongPlan
internal import ThrongReport
internal import ThrongSystem
internal import ThrongWire

/// Sends a report's files in one mail, with its first answers in words.
struct MailSender {
    let options: DeliveryOptions

    /// The file in the folder of secrets that holds the password of the server's user.
    static let secret = "secrets/smtp"

    /// - Parameters:
    ///   - letter: a ``ReportLetter`` in JSON.
    ///   - key: 32 bytes, the same for every try; the mail's Message-ID.
    func send(
        _ files: [ReportFile], with letter: [UInt8], to address: MailAddress, key: [UInt8], now: UnixSeconds
    ) async throws {
        guard let mail = options.mail else { throw DeliveryFault.noMailServer }
        guard options.hosts.contains(address.domain) else { throw DeliveryFault.hostNotAllowed(address.domain) }
        let words = try ReportLetter(json: letter)
        var message = MailMessage(from: mail.from.text, to: address.text, id: key.lowerHex)
        (message.sender, message.subject) = (words.sender, words.subject)
        (message.text, message.page) = (words.text, words.page)
        message.files = files.map { .init(name: $0.name, mediaType: $0.mediaType, contents: $0.contents) }
        var dispatch = MailDispatch(to: mail.server)
        dispatch.authorities = options.authorities
        dispatch.limit = .seconds(options.fileSeconds)
        if mail.server.user != nil { dispatch.password = try options.secret("smtp") }
        do throws(MailFault) { try await dispatch.send(message, date: now.value) } catch { throw DeliveryFault(error) }
    }
}

extension DeliveryFault {
    fileprivate init(_ fault: MailFault) {
        self =
            switch fault {
            case .refused(let status): status < 500 ? .mailDeferred(status: status) : .mailRefused(status: status)
            case .signIn: .mailSignIn
            case .unprotected: .mailUnprotected
            case .failed(let fault): .noAnswer(reason: fault.description)
            }
    }
}
