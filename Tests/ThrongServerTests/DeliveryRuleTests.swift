import Testing
import ThrongPlan
import ThrongReport

@testable import ThrongSchedule
@testable import ThrongServer

@Suite("Deliveries go only where they may")
struct DeliveryRuleTests {
    @Test(
        "addresses inside are told from those of the internet",
        arguments: [
            "127.0.0.1", "127.8.9.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
            "169.254.169.254", "100.64.0.1", "100.127.255.255", "198.18.0.1", "198.19.255.255", "192.0.2.7",
            "224.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "::ffff:127.0.0.1",
            "::ffff:8.8.8.8", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "2001::1", "localhost", "", "1.2.3",
        ])
    func inside(address: String) { #expect(!PublicAddress.holds(address)) }

    @Test(
        "addresses of the internet are public",
        arguments: [
            "8.8.8.8", "93.184.216.34", "172.15.255.255", "172.32.0.1", "100.63.0.1", "100.128.0.1", "192.169.0.1",
            "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::1",
        ])
    func outside(address: String) { #expect(PublicAddress.holds(address)) }

    @Test("pauses between tries double up to an hour, and end")
    func pauses() {
        var options = DeliveryOptions(dataPath: "/data")
        options.tries = 10
        let pauses = (1...10).map { options.retry(after: $0, now: UnixSeconds(1000)).map { $0.value - 1000 } }
        #expect(pauses == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600, nil])
    }

    @Test("a host that the operator does not list gets nothing, nor does one at an address inside")
    func hosts() async throws {
        var options = DeliveryOptions(dataPath: "/data")
        options.hosts = ["127.0.0.1:9"]
        let sender = FileSender(options: options)
        func fault(_ url: String, secret: String? = nil) async -> DeliveryFault? {
            guard let target = HTTPDelivery(.put, url, authorization: secret) else { return nil }
            do throws(DeliveryFault) {
                _ = try await sender.send(.init(name: "a.csv", bytes: [1]), to: target, key: [])
                return nil
            } catch { return error }
        }
        #expect(await fault("https://other.example/") == .hostNotAllowed("other.example"))
        #expect(await fault("https://127.0.0.1/") == .hostNotAllowed("127.0.0.1"))
        #expect(await fault("https://127.0.0.1:9/") == .privateAddress(host: "127.0.0.1", address: "127.0.0.1"))
        #expect(
            await fault("https://127.0.0.1:9/", secret: "bank") == .secretMissing(path: "/data/secrets/bank"))
    }
}
