package import ThrongPlan
package import ThrongSystem

/// The permissions that an operator gives deliveries over the network. A plan only says where to.
package struct DeliveryOptions: Sendable, Hashable {
    /// The server that takes mails over, and the address that they come from.
    package struct MailRoute: Sendable, Hashable {
        package let server: MailServer
        package let from: MailAddress

        /// Reads both, with a space between them: `smtps://throng@mail.shop.example reports@shop.example`; nil for anything
        /// else.
        package init?(_ text: String) {
            let words = text.split(separator: " ")
            guard words.count == 2, let server = MailServer(String(words[0])), let from = MailAddress(String(words[1]))
            else { return nil }
            (self.server, self.from) = (server, from)
        }
    }

    /// `deliver.hosts` (text, none): hosts, with a port where it is not 443, that reports may be sent to, and domains of mail.
    package var hosts: Set<String> = []
    /// `deliver.private-hosts` (text, none): those of them that may be at loopback, private and other special
    /// addresses.
    package var privateHosts: Set<String> = []
    /// `deliver.ca` (path, none): certificates in PEM that vouch for partners, beside the system's.
    package var authorities: String?
    /// `deliver.mail` (text, none): how mails go; the password of the server's user is the secret `smtp`.
    package var mail: MailRoute?
    /// The folder with a file for each header Authorization, `secrets` in the data directory.
    package let secrets: String
    /// The longest time for a file. Unit: seconds.
    package var fileSeconds: Int64 = 60
    /// The pause after a first try; each is twice the one before, up to an hour. Unit: seconds.
    package var retrySeconds: Int64 = 30
    /// The tries after which a delivery is given up: five hours after the first.
    package var tries = 12

    /// The longest pause between two tries. Unit: seconds.
    package static let longestPause: Int64 = 3600

    /// The documented defaults: nothing goes over the network.
    package init(dataPath: String) { secrets = dataPath + "/secrets" }

    /// The longest time that the system may take to find the address of a host. Unit: seconds.
    package static let lookupSeconds: Int64 = 10

    /// The longest silence of a try before another process may begin one: a lookup, a file, and time to write it down.
    package var lease: Duration { .seconds(Self.lookupSeconds + fileSeconds + 15) }

    /// Returns the time at which a delivery is tried again after a try that failed; nil where that was the last.
    package func retry(after attempt: Int, now: UnixSeconds) -> UnixSeconds? {
        guard attempt < tries else { return nil }
        let doublings = min(max(attempt - 1, 0), 20)
        return now + min(retrySeconds << Int64(doublings), Self.longestPause)
    }

    /// Returns an operator's secret, by the name of its file.
    func secret(_ name: String) throws(DeliveryFault) -> String {
        let path = secrets + "/" + name
        do throws(HeaderSecretFault) {
            return try HeaderSecret.read(path)
        } catch {
            switch error {
            case .missing: throw .secretMissing(path: path)
            case .exposed: throw .secretExposed(path: path)
            case .malformed: throw .secretMalformed(path: path)
            }
        }
    }
}

/// The settings of an operator for reports: the same for the daemon and for reports that are made by hand.
package struct ReportSettings: Sendable, Hashable {
    /// `report.key` (path, `signing/key.pem` in the data directory): the key that signs manifests.
    package var signing: ReportKeyFolder
    package var printer = PagePrinter()
    package var delivery: DeliveryOptions

    package init(dataPath: String) {
        signing = ReportKeyFolder(dataPath: dataPath)
        delivery = DeliveryOptions(dataPath: dataPath)
    }
}
