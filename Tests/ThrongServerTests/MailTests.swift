import Foundation
import Testing
import ThrongPlan
import ThrongReport
import ThrongSystem
import ThrongWire

@testable import ThrongSchedule

@Suite("Reports go by mail, to one server and to nobody else")
struct MailTests {
    @Test(
        "a setting names a server and an address, and never a password",
        arguments: [
            ("smtps://throng@mail.shop.example reports@shop.example", "smtps://mail.shop.example:465"),
            ("smtp://mail.shop.example reports@shop.example", "smtp://mail.shop.example:587"),
            ("smtp://localhost reports@shop.example", "smtp://localhost:25"),
            ("smtp://[::1]:2525 reports@shop.example", "smtp://[::1]:2525"),
            ("smtp://127.0.0.2 reports@shop.example", "smtp://127.0.0.2:25"),
            // A name, which may be anybody's: mails to it are not sent in the clear.
            ("smtp://127.shop.example reports@shop.example", "smtp://127.shop.example:587"),
            ("smtp://127.0.0.1.shop.example reports@shop.example", "smtp://127.0.0.1.shop.example:587"),
            ("smtps://throng:secret@mail.shop.example reports@shop.example", nil),
            ("https://mail.shop.example reports@shop.example", nil), ("smtps://mail.shop.example reports", nil),
            ("smtps://mail.shop.example", nil), ("smtps://mail.shop.example/x reports@shop.example", nil),
        ] as [(String, String?)])
    func route(text: String, url: String?) { #expect(DeliveryOptions.MailRoute(text)?.server.url == url) }

    @Test("a mail's headers are its own, whatever its texts hold, and its files are what they were")
    func message() throws {
        var mail = MailMessage(from: "reports@shop.example", to: "m@bank.example", id: "ab12")
        mail.sender = "Shop, \"Ltd\""
        mail.subject = "Weekly\r\nBcc: x@y.example \u{1F600}" + String(repeating: " long", count: 40)
        (mail.text, mail.page) = ("Gr\u{FC}\u{DF}e\n", "<p>Gr\u{FC}\u{DF}e</p>")
        let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        mail.files = [.init(name: "a.bin", mediaType: "application/octet-stream", contents: bytes)]
        let text = String(decoding: mail.bytes(date: 1_795_046_400), as: UTF8.self)
        let lines = text.components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 78 && !$0.contains("\n") && !$0.hasPrefix("Bcc") })
        let head = lines.prefix { !$0.isEmpty }
        #expect(head.contains("Message-ID: <ab12@shop.example>") && head.contains("To: <m@bank.example>"))
        #expect(head.contains("Date: Thu, 19 Nov 2026 00:00:00 +0000"))
        let words = head.joined().matches(of: /=\?UTF-8\?B\?([^?]*)\?=/)
            .compactMap { Data(base64Encoded: String($0.1)) }
        #expect(String(decoding: words.reduce(Data(), +), as: UTF8.self) == mail.sender + mail.subject)
        let file = try #require(text.range(of: "filename=\"a.bin\"\r\n\r\n"))
        let encoded = text[file.upperBound...].prefix { $0 != "-" }
        #expect(Data(base64Encoded: String(encoded), options: .ignoreUnknownCharacters) == Data(bytes))
    }

    @Test("without a server, or to a domain that the operator does not list, nothing is sent")
    func allowed() async throws {
        let address = try #require(MailAddress("m@bank.example"))
        var options = DeliveryOptions(dataPath: "/data")
        func fault() async -> DeliveryFault? {
            do {
                try await MailSender(options: options).send([], with: [], to: address, key: [1], now: UnixSeconds(0))
                return nil
            } catch { return error as? DeliveryFault }
        }
        #expect(await fault() == .noMailServer)
        options.mail = DeliveryOptions.MailRoute("smtp://localhost reports@shop.example")
        #expect(await fault() == .hostNotAllowed("bank.example"))
    }

    @Test("what is refused for good is not tried again, and what is refused for now is")
    func forGood() {
        #expect(DeliveryFault.mailRefused(status: 550).isForGood && DeliveryFault.addressGone.isForGood)
        #expect(!DeliveryFault.mailDeferred(status: 451).isForGood && !DeliveryFault.mailSignIn.isForGood)
    }
}
