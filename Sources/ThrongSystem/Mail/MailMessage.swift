internal import Foundation

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
