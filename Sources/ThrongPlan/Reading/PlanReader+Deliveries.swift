extension PlanReader {
    mutating func deliveries(_ value: PlanValue?) -> [Delivery]? {
        guard let values = list(value) else { return nil }
        var deliveries: [Delivery] = []
        for value in values {
            guard let body = body(value, PlanKeys.Delivery.self), let delivery = delivery(body, after: deliveries)
            else { continue }
            // A run delivers once to each address, whatever its authorization is.
            if deliveries.contains(where: { Self.areSame($0, delivery) }) {
                problems.add(value, "\(Self.words(delivery)) is listed twice; keep one")
                continue
            }
            deliveries.append(delivery)
        }
        return deliveries
    }

    private static func areSame(_ one: Delivery, _ other: Delivery) -> Bool {
        if case (.mail(let address, _), .mail(let second, _)) = (one, other) { return address == second }
        return one.target == other.target
    }

    private static func words(_ delivery: Delivery) -> String {
        switch delivery {
        case .folder(let path): YAMLNode.quoted(path)
        case .http(let http): YAMLNode.quoted(http.url)
        case .mail(let address, place: _): YAMLNode.quoted(address.text)
        }
    }

    private mutating func delivery(_ body: PlanBody<PlanKeys.Delivery>, after others: [Delivery]) -> Delivery? {
        let given = [PlanKeys.Delivery.folder, .put, .post, .mail].filter { body[$0] != nil }
        guard given.count == 1, let way = given.first else {
            return problems.refuse(body, "one of 'folder', 'put', 'post' and 'mail' is needed; found \(given.count)")
        }
        guard let target = text(body[way], longest: 1000) else { return nil }
        if way == .folder || way == .mail { problems.add(body[.authorization], "only 'put' and 'post' have one") }
        if way == .mail {
            guard let address = MailAddress(target) else {
                return problems.refuse(
                    body[way],
                    "found \(YAMLNode.quoted(target)); one address is allowed, NAME@HOST.DOMAIN in ASCII, without a "
                        + "name before it; a list of 'mail' has one for each reader")
            }
            let mails = others.count { if case .mail = $0 { true } else { false } }
            return .mail(address, place: mails + 1)
        }
        if way == .folder {
            if let problem = AddressText.problem(ofPath: target) {
                return problems.refuse(body[way], "\(problem), or name an https address as 'put' or 'post'")
            }
            if target.hasPrefix("~") || target.split(separator: "/").contains("..") {
                return problems.refuse(
                    body[way],
                    "found \(YAMLNode.quoted(target)); a path without ~ and .. is allowed, absolute or in the daemon's "
                        + "data directory")
            }
            return .folder(target)
        }
        let secret = text(body[.authorization], longest: 64)
        if let secret, !Self.isSecretName(secret) {
            return problems.refuse(
                body[.authorization],
                "the name of a file in the operator's folder of secrets is allowed (a to z, 0 to 9, _ and -), never "
                    + "the secret itself")
        }
        guard let method = HTTPDelivery.Method(rawValue: way.rawValue),
            let http = HTTPDelivery(method, target, authorization: secret)
        else {
            return problems.refuse(
                body[way],
                """
                found \(YAMLNode.quoted(target)); https://HOST/PATH is allowed, without user, query \
                and fragment\(way == .put ? ", and with a slash at the end, after which the file's name is put" : "")
                """)
        }
        return .http(http)
    }

    private static func isSecretName(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F || byte == 0x2D
        }
    }
}
