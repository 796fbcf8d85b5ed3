package import ThrongPlan

extension Delivery {
    /// Which secret of the operator goes with it.
    package var authorization: String? {
        switch self {
        case .folder: nil
        case .http(let http): http.authorization
        }
    }

    /// What a target names; nil for a text that is none.
    package init?(target: String, authorization: String?) {
        let halves = target.split(separator: " ", maxSplits: 1).map(String.init)
        guard halves.count == 2 else { return nil }
        if halves[0] == "folder" {
            self = .folder(halves[1])
        } else if let method = HTTPDelivery.Method(rawValue: halves[0]),
            let http = HTTPDelivery(method, halves[1], authorization: authorization)
        {
            self = .http(http)
        } else {
            return nil
        }
    }
}
