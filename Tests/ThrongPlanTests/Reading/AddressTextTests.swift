import Testing
import ThrongPlan

@Suite("An address is not taken for a path, and shows no password")
struct AddressTextTests {
    @Test(
        "what has a scheme is an address",
        arguments: [
            "s3://bucket/reports", "S3://b", "gs://b/x", "file:///srv/reports", "https://partner.example/in",
            "sftp://u:p@h/in",
            "azure+blob://x", "a.b-c+1://",
        ])
    func addresses(text: String) {
        #expect(AddressText.problem(ofPath: text)?.contains("a path on this machine is allowed") == true)
        #expect(AddressText.problem(ofPath: text)?.contains("u:p") == false)
    }

    @Test(
        "and everything else is a path",
        arguments: [
            "", "out", "/srv/reports", "./s3://x", "reports/a:b", "a:b", "C:\\x", "://x", "1a://x", "s3:/x", "ü://x",
        ])
    func paths(text: String) { #expect(AddressText.problem(ofPath: text) == nil) }

    @Test("whatever stands before the last @ goes, and whatever follows a question mark")
    func shown() {
        for text in [
            "https://user:SECRET@host/x", "https://SECRET@host/x", "https://user:SEC@SECRET@host/x",
            "https://user:a/SECRET@host/x",
            "https://user:%53ECRET%40SECRET@host/x", "https://user:SECRET#SECRET@host/x",
            "https://user:SECRET?SECRET@host/x",
        ] {
            #expect(AddressText.shown(text) == "https://…@host/x", "\(text)")
        }
        #expect(AddressText.shown("https://host/x?key=SECRET") == "https://host/x?…")
        for text in ["https://host:80/x", "out", "a@b", "127.0.0.1:80"] { #expect(AddressText.shown(text) == text) }
    }
}
