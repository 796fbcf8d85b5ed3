extension PlanReader {
    mutating func deliveries(_ node: YAMLNode, _ subject: String) -> [Delivery]? {
        guard let nodes = list(node, subject) else { return nil }
        var deliveries: [Delivery] = []
        for node in nodes {
            guard let body: PlanBody<PlanKeys.Delivery> = body(of: node, subject, at: node.place),
                let delivery = delivery(body, at: node.place)
            else { continue }
            // A run delivers once to each address, whatever its authorization is.
            if deliveries.contains(where: { $0.target == delivery.target }) {
                problems.add(node.place, "\(subject): \(Self.words(delivery)) is listed twice; keep one")
                continue
            }
            deliveries.append(delivery)
        }
        return deliveries
    }

    private static func words(_ delivery: Delivery) -> String {
        switch delivery {
        case .folder(let path): YAMLNode.quoted(path)
        case .http(let http): YAMLNode.quoted(http.url)
        }
    }

    private mutating func delivery(_ body: PlanBody<PlanKeys.Delivery>, at place: YAMLNode.Place?) -> Delivery? {
        let given = [PlanKeys.Delivery.folder, .put, .post].filter { body[$0] != nil }
        guard given.count == 1, let way = given.first else {
            return problems.refuse(
                place, "\(body.subject): one of 'folder', 'put' and 'post' is needed; found \(given.count)")
        }
        guard let target = text(way, in: body, longest: 1000) else { return nil }
        if way == .folder {
            if let node = body[.authorization] {
                problems.add(node.place, "\(body.subject(.authorization)): only 'put' and 'post' have one")
            }
            if let problem = AddressText.problem(ofPath: target) {
                return problems.refuse(
                    body[.folder]?.place,
                    "\(body.subject(.folder)): \(problem), or name an https address as 'put' or 'post'")
            }
            if target.hasPrefix("~") || target.split(separator: "/").contains("..") {
                return problems.refuse(
                    body[.folder]?.place,
                    """
                    \(body.subject(.folder)): found \(YAMLNode.quoted(target)); a path without ~ and .. is allowed, \
                    absolute or in the daemon's data directory
                    """)
            }
            return .folder(target)
        }
        let secret = body[.authorization] == nil ? nil : text(.authorization, in: body, longest: 64)
        if let secret, !Self.isSecretName(secret) {
            return problems.refuse(
                body[.authorization]?.place,
                """
                \(body.subject(.authorization)): the name of a file in the operator's folder of secrets is allowed \
                (a to z, 0 to 9, _ and -), never the secret itself
                """)
        }
        guard let method = HTTPDelivery.Method(rawValue: way.rawValue),
            let http = HTTPDelivery(method, target, authorization: secret)
        else {
            return problems.refuse(
                body[way]?.place,
                """
                \(body.subject(way)): found \(YAMLNode.quoted(target)); https://HOST/PATH is allowed, without user, query \
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
