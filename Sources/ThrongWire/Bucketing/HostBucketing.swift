/// A URL to its host, if listed: "https://www.example.org:8443/cart?x=1" to "www.example.org".
struct HostBucketing: Bucketing {
    private let buckets: LabelTable
    private let hosts: ByteTable

    init(known: [String]) throws(BucketingProblem) {
        for host in known {
            guard !host.isEmpty, !host.hasPrefix("."), !host.hasSuffix("."),
                host.utf8.allSatisfy({
                    $0.isDigit || ($0.isASCIILetter && $0.lowercasedASCII == $0) || "-.".utf8.contains($0)
                })
            else { throw .malformedHost(host) }
        }
        buckets = try LabelTable(known)
        var hosts = ByteTable(.foldingASCII)
        for (bucket, host) in known.enumerated() { hosts.insert(host, bucket) }
        self.hosts = hosts
    }

    var labels: [BucketLabel] { buckets.labels }

    func bucket(_ value: FieldValue) -> Int {
        guard case .text(let text) = value else { return buckets.other }
        return buckets[text.bytes] ?? hosts[WebAddress(text.bytes).host] ?? buckets.other
    }
}
