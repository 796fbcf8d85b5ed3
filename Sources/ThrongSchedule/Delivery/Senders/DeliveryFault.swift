/// The reason why a try of a delivery failed; never holds a secret or what a partner answered.
package enum DeliveryFault: Error, Hashable, CustomStringConvertible {
    case hostNotAllowed(String)
    case unresolved(host: String)
    case unresolvedInTime(host: String)
    case privateAddress(host: String, address: String)
    case secretMissing(path: String)
    case secretExposed(path: String)
    case secretMalformed(path: String)
    case refused(status: Int)
    case redirected(status: Int)
    case noAnswer(reason: String)
    case noMailServer
    case mailRefused(status: Int)
    case mailDeferred(status: Int)
    case mailSignIn
    case mailUnprotected
    case addressGone
    case unknownTarget
    case noFiles

    /// True where another try would come to the same.
    package var isForGood: Bool {
        switch self {
        case .mailRefused, .addressGone: true
        default: false
        }
    }

    package var description: String {
        switch self {
        case .hostNotAllowed(let authority):
            "\(authority) is not among THRONG_DELIVER_HOSTS, so that nothing was sent; add it there if that is right"
        case .unresolved(let host): "the name \(host) has no address"
        case .unresolvedInTime(let host):
            "the address of \(host) was not found within \(DeliveryOptions.lookupSeconds) seconds"
        case .privateAddress(let host, let address):
            "\(host) is at \(address), which is no public address, so that nothing was sent; list it in "
                + "THRONG_DELIVER_PRIVATE_HOSTS if that is right"
        case .secretMissing(let path): "the secret \(path) is missing or can't be read"
        case .secretExposed(let path): "others than its owner may read the secret \(path); chmod 600 it"
        case .secretMalformed(let path): "the secret \(path) is not one line of printable ASCII"
        case .refused(let status): "the partner answered \(status)"
        case .redirected(let status): "the partner answered with a redirect (\(status)), and redirects are not followed"
        case .noAnswer(let reason): "no answer came: \(reason)"
        case .noMailServer: "THRONG_DELIVER_MAIL names no server that takes mails"
        case .mailRefused(let status):
            "the mail server refused the mail for good (\(status)): look at the address in the plan, and at that of "
                + "the sender; `throng report send` tries again"
        case .mailDeferred(let status): "the mail server did not take the mail for now (\(status))"
        case .mailSignIn: "the mail server did not take the user and the password in \(MailSender.secret)"
        case .mailUnprotected:
            "the mail server offers no STARTTLS, and mails go in the clear to this machine only: use smtps://"
        case .addressGone: "the plan has no such mail address any more"
        case .unknownTarget: "the target is none that this version of throng knows"
        case .noFiles: "the report's files were let go of before they were delivered"
        }
    }
}
