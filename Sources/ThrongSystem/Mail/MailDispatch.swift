internal import CCurl
internal import Foundation
internal import Synchronization

/// Hands one mail to a server, by libcurl, on a thread of its own.
package struct MailDispatch: Sendable {
    package let server: MailServer
    package var password: String?
    /// A file of certificates in PEM that vouch for the server, beside the system's.
    package var authorities: String?
    /// The time for all of it.
    package var limit: Duration = .seconds(60)

    package init(to server: MailServer) { self.server = server }

    /// Returns once the server has taken the mail over; a task that is cancelled gives it up within a second.
    ///
    /// - Parameter date: Unit: seconds since 1970.
    package func send(_ mail: MailMessage, date: Int64) async throws(MailFault) {
        let isGivenUp = Flag()
        let bytes = mail.bytes(date: date)
        let fault = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    CurlHandle.ignorePipes()
                    continuation.resume(returning: Upload(bytes, isGivenUp).run(self, mail))
                }
            }
        } onCancel: {
            isGivenUp.isSet.store(true, ordering: .releasing)
        }
        if let fault { throw fault }
    }

    private final class Flag: Sendable { let isSet = Atomic(false) }

    /// The mail under way; used on one thread.
    private final class Upload {
        private let bytes: [UInt8]
        private var place = 0
        private let isGivenUp: Flag

        init(_ bytes: [UInt8], _ isGivenUp: Flag) { (self.bytes, self.isGivenUp) = (bytes, isGivenUp) }

        private static func of(_ context: UnsafeMutableRawPointer?) -> Upload? {
            context.map { Unmanaged<Upload>.fromOpaque($0).takeUnretainedValue() }
        }

        private func read(into target: UnsafeMutablePointer<CChar>, most: Int) -> Int {
            let count = min(most, bytes.count - place)
            bytes.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(start: target, count: count).copyBytes(from: $0[place..<place + count])
            }
            place += count
            return count
        }

        func run(_ dispatch: MailDispatch, _ mail: MailMessage) -> MailFault? {
            guard CurlHandle.isStarted, let easy = curl_easy_init() else { return .failed(CurlHandle.noMemory) }
            defer { curl_easy_cleanup(easy) }
            guard let recipient = curl_slist_append(nil, "<\(mail.to)>") else { return .failed(CurlHandle.noMemory) }
            defer { curl_slist_free_all(recipient) }
            do throws(HTTPFault) {
                return try withExtendedLifetime(self) { () throws(HTTPFault) in
                    try set(easy, dispatch, mail, recipient)
                    return outcome(of: curl_easy_perform(easy), easy, dispatch)
                }
            } catch { return .failed(error) }
        }

        private func set(
            _ easy: UnsafeMutableRawPointer, _ dispatch: MailDispatch, _ mail: MailMessage,
            _ recipient: UnsafeMutablePointer<curl_slist>
        ) throws(HTTPFault) {
            func check(_ code: CURLcode) throws(HTTPFault) {
                guard code == CURLE_OK else { throw CurlHandle.fault(code, easy, dispatch.authorities) }
            }
            let server = dispatch.server
            try CurlHandle.protect(easy, dispatch.authorities)
            try check(throng_curl_set_text(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps"))
            // The name behind the slash is what EHLO says: not this machine's.
            try check(throng_curl_set_text(easy, CURLOPT_URL, "\(server.url)/\(mail.domain)"))
            let tls = server.isLocal ? CURLUSESSL_NONE : CURLUSESSL_ALL
            try check(throng_curl_set_number(easy, CURLOPT_USE_SSL, Int(tls.rawValue)))
            if let user = server.user {
                try check(throng_curl_set_text(easy, CURLOPT_USERNAME, user))
                try check(throng_curl_set_text(easy, CURLOPT_PASSWORD, dispatch.password ?? ""))
            }
            try check(throng_curl_set_text(easy, CURLOPT_MAIL_FROM, "<\(mail.from)>"))
            try check(throng_curl_set_list(easy, CURLOPT_MAIL_RCPT, recipient))
            try check(throng_curl_set_number(easy, CURLOPT_UPLOAD, 1))
            try check(throng_curl_set_size(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(bytes.count)))
            try check(throng_curl_set_number(easy, CURLOPT_TIMEOUT_MS, CurlHandle.milliseconds(dispatch.limit)))
            let context = Unmanaged.passUnretained(self).toOpaque()
            try check(throng_curl_set_bytes(easy, CURLOPT_READDATA, context))
            try check(
                throng_curl_set_take(easy, CURLOPT_READFUNCTION) { target, size, count, context in
                    guard let target, let upload = Upload.of(context) else { return 0 }
                    return upload.read(into: target, most: size * count)
                })
            // What the server says goes nowhere.
            try check(throng_curl_set_take(easy, CURLOPT_WRITEFUNCTION) { _, size, count, _ in size * count })
            try check(
                throng_curl_set_look(
                    easy,
                    { context, _, _, _, _ in
                        Upload.of(context)?.isGivenUp.isSet.load(ordering: .acquiring) == true ? 1 : 0
                    }, context))
        }

        /// Nil where the server took the mail over.
        private func outcome(
            of code: CURLcode, _ easy: UnsafeMutableRawPointer, _ dispatch: MailDispatch
        ) -> MailFault? {
            let status = throng_curl_number(easy, CURLINFO_RESPONSE_CODE)
            switch code {
            case CURLE_OK: return nil
            case CURLE_LOGIN_DENIED, CURLE_AUTH_ERROR: return .signIn
            case CURLE_USE_SSL_FAILED: return .unprotected
            case CURLE_ABORTED_BY_CALLBACK: return .failed(.cancelled)
            default: break
            }
            let isAnswer = [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_WEIRD_SERVER_REPLY].contains(code)
            return isAnswer && (400..<600).contains(status)
                ? .refused(status: status) : .failed(CurlHandle.fault(code, easy, dispatch.authorities))
        }
    }
}

/// The reason why a server did not take a mail over; never holds what it said, which may name people.
package enum MailFault: Error, Hashable {
    /// A reply of SMTP: 4xx for now, 5xx for good.
    case refused(status: Int)
    /// The server takes neither user nor password.
    case signIn
    /// The server offers no STARTTLS.
    case unprotected
    case failed(HTTPFault)
}

/// A server that takes mails over SMTP (RFC 5321), as an operator names it: `smtp://throng@mail.shop.example:587`.
///
/// With `smtps` TLS comes first (RFC 8314); with `smtp` it is asked for by STARTTLS (RFC 3207), and without it nothing is
/// sent but to this machine, to which mails go in the clear.
package struct MailServer: Sendable, Hashable {
    /// Scheme, host and port.
    package let url: String
    /// The user that signs in; nil where nobody does.
    package let user: String?
    let isLocal: Bool

    /// Reads a URL without a password, path and query; nil for anything else. The port is 587 unless given, with `smtps`
    /// 465, and 25 on this machine.
    package init?(_ text: String) {
        guard let url = URLComponents(string: text), let host = url.host, !host.isEmpty, url.password == nil,
            ["", "/"].contains(url.path), url.query == nil, url.fragment == nil,
            let scheme = url.scheme?.lowercased(), ["smtp", "smtps"].contains(scheme)
        else { return nil }
        let name = host.lowercased()
        isLocal =
            name == "localhost" || name == "[::1]" || name == "::1"
            || name.wholeMatch(of: /127(\.[0-9]{1,3}){3}/) != nil
        let port = url.port ?? (scheme == "smtps" ? 465 : isLocal ? 25 : 587)
        user = url.user.flatMap { $0.isEmpty ? nil : $0 }
        self.url = "\(scheme)://\(name.contains(":") && !name.hasPrefix("[") ? "[\(name)]" : name):\(port)"
    }
}

/// A mail with the same words as text and as a page, and files (RFC 5322, RFC 2046).
///
/// No text of it can begin another header, whatever it holds: what is not plain ASCII goes as an encoded word.
package struct MailMessage: Sendable, Hashable {
    package struct File: Sendable, Hashable {
        /// Its name: letters, digits, `.`, `-` and `_`.
        let name: String
        let mediaType: String
        let contents: [UInt8]

        package init(name: String, mediaType: String, contents: [UInt8]) {
            (self.name, self.mediaType, self.contents) = (name, mediaType, contents)
        }
    }

    /// The name that stands before the sender's address.
    package var sender = ""
    package let from: String
    package let to: String
    package var subject = ""
    /// The part of Message-ID before the `@`: the same for every try, so that the other side can tell them for one.
    package let id: String
    package var text = ""
    package var page = ""
    package var files: [File] = []

    package init(from: String, to: String, id: String) { (self.from, self.to, self.id) = (from, to, id) }

    /// The part of the sender's address behind the `@`.
    var domain: Substring { from[from.index(after: from.lastIndex(of: "@") ?? from.startIndex)...] }

    /// The mail as it goes over the wire, lines ended with CR LF.
    ///
    /// - Parameter date: Unit: seconds since 1970.
    package func bytes(date: Int64) -> [UInt8] {
        let (all, words) = ("throng_\(id)_all", "throng_\(id)_words")
        var lines = [
            "From: \(sender.isEmpty ? "" : Self.encoded(sender, allowing: " -") + " ")<\(from)>", "To: <\(to)>",
            "Subject: \(Self.encoded(subject))", "Date: \(Self.date(date))", "Message-ID: <\(id)@\(domain)>",
            // RFC 3834: nobody's out-of-office answers it.
            "Auto-Submitted: auto-generated", "MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=\"\(all)\"",
            "", "--\(all)", "Content-Type: multipart/alternative; boundary=\"\(words)\"", "",
        ]
        for (type, said) in [("plain", text), ("html", page)] {
            lines += Self.part(within: words, "text/\(type); charset=utf-8", Array(said.utf8))
        }
        lines += ["--\(words)--", ""]
        for file in files {
            lines += Self.part(
                within: all, file.mediaType, file.contents,
                ["Content-Disposition: attachment; filename=\"\(file.name)\""])
        }
        lines += ["--\(all)--", ""]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    private static func part(
        within boundary: String, _ type: String, _ contents: [UInt8], _ more: [String] = []
    ) -> [String] {
        let folded: Data.Base64EncodingOptions = [
            .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
        ]
        return ["--\(boundary)", "Content-Type: \(type)", "Content-Transfer-Encoding: base64"] + more + [
            "", Data(contents).base64EncodedString(options: folded),
        ]
    }

    /// A text as it stands in a header: as it is where it is short and of letters, digits and signs that may stand there,
    /// else as encoded words (RFC 2047).
    private static func encoded(_ text: String, allowing signs: String = " -:,.'/()") -> String {
        let isPlain = text.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || signs.utf8.contains($0)
        }
        if isPlain, text.utf8.count <= 60 { return text }
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > 42 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?UTF-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }

    private static func date(_ seconds: Int64) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss '+0000'"
        return format.string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
    }
}
