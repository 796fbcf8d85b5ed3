import Testing

@testable import ThrongWire

@Suite("Binary HTTP: RFC 9292")
struct MessageTests {
    private static let limits = MessageLimits(contentBytes: 4 << 10)

    private static func request(_ bytes: [UInt8]) throws(ObliviousError) -> BinaryRequest {
        try BinaryRequest(bytes[...], limits: limits)
    }

    private static func response(_ bytes: [UInt8]) throws(ObliviousError) -> BinaryResponse {
        try BinaryResponse(bytes[...], limits: limits)
    }

    @Test("the RFC's requests are read, and written byte for byte")
    func publishedRequests() throws {
        let request = PublishedMessages.request
        #expect(try Self.request(PublishedMessages.knownRequest) == request)
        #expect(request.encoded() == PublishedMessages.knownRequest)
        #expect(try Self.request(PublishedMessages.indeterminateRequest) == request)
        #expect(
            request.encoded(.indeterminateLength) + [UInt8](repeating: 0, count: 10)
                == PublishedMessages.indeterminateRequest)
        let short = BinaryRequest("GET", "/", authority: "example.com")
        #expect(try Self.request(PublishedMessages.shortRequest) == short)
        #expect(short.encoded() == PublishedMessages.shortRequest + [0, 0, 0])
    }

    @Test("the RFC's responses are read, and written byte for byte")
    func publishedResponses() throws {
        #expect(try Self.response(PublishedMessages.indeterminateResponse) == PublishedMessages.longResponse)
        #expect(
            PublishedMessages.longResponse.encoded(.indeterminateLength) == PublishedMessages.indeterminateResponse)
        #expect(try Self.response(PublishedMessages.knownResponse) == PublishedMessages.trailedResponse)
        #expect(PublishedMessages.trailedResponse.encoded() == PublishedMessages.knownResponse)
        #expect(try Self.response(PublishedMessages.shortResponse) == BinaryResponse(200))
    }

    @Test("a message may end before empty parts, and nowhere else")
    func cutOff() throws {
        for count in 1...2 {
            #expect(try Self.request(PublishedMessages.knownRequest.dropLast(count)) == PublishedMessages.request)
        }
        for count in 1...12 {
            #expect(
                try Self.request(PublishedMessages.indeterminateRequest.dropLast(count)) == PublishedMessages.request)
        }
        // Where the control data has come whole, it is a request without fields; nowhere else before its fields' end.
        let control = 23
        for count in 0..<PublishedMessages.knownRequest.count - 2 where count != control {
            #expect(throws: ObliviousError.self, "\(count) bytes") {
                try Self.request(Array(PublishedMessages.knownRequest.prefix(count)))
            }
        }
        #expect(try Self.request(Array(PublishedMessages.knownRequest.prefix(control))).fields.isEmpty)
        for count in 0..<PublishedMessages.indeterminateRequest.count - 12 where count != control {
            #expect(throws: ObliviousError.self, "\(count) bytes") {
                try Self.request(Array(PublishedMessages.indeterminateRequest.prefix(count)))
            }
        }
        // After an informational response there has to be another one.
        #expect(throws: ObliviousError.truncated(.fields, at: 3)) { try Self.response([1, 0x40, 0x66]) }
        #expect(throws: ObliviousError.truncated(.status, at: 4)) { try Self.response([1, 0x40, 0x66, 0]) }
        // Content that has begun has an end.
        #expect(throws: ObliviousError.truncated(.content, at: 7)) {
            try Self.response([3, 0x40, 0xc8, 0, 2, 0x61, 0x62])
        }
    }

    @Test("numbers are QUIC's, in any of their lengths, and as short as they can be when written")
    func numbers() throws {
        let known: [(Int, String)] = [
            (0, "00"), (37, "25"), (63, "3f"), (64, "4040"), (15_293, "7bbd"), (16_383, "7fff"), (16_384, "80004000"),
            (494_878_333, "9d7f3e7d"), (1 << 30, "c000000040000000"), (151_288_809_941_952_652, "c2197c5eff14e88c"),
            ((1 << 62) - 1, "ffffffffffffffff"),
        ]
        for (number, hex) in known {
            var writer = MessageWriter()
            writer.add(number)
            #expect(writer.bytes == Bytes.of(hex))
            var reader = MessageReader(Bytes.of(hex)[...], limits: Self.limits)
            #expect(try reader.number(.content) == number)
        }
        for hex in ["4025", "80000025", "c000000000000025"] {
            var reader = MessageReader(Bytes.of(hex)[...], limits: Self.limits)
            #expect(try reader.number(.content) == 37)
        }
    }

    @Test("what is malformed is refused, with where it is")
    func malformed() {
        func request(
            method: String = "POST", scheme: String = "https", authority: String = "", path: String = "/v1/batches",
            _ fields: [(String, String)] = [], rest: [UInt8] = [0, 0]
        ) -> [UInt8] {
            BinaryRequest(
                method, path, scheme: scheme, authority: authority,
                fields: fields.map { MessageField($0, $1) }
            ).encoded().dropLast(2) + rest
        }
        #expect(throws: Never.self) { try Self.request(request([("dnt", "1"), ("x", "a b\tc"), ("y", "")])) }
        let refused: [(ObliviousError, [UInt8])] = [
            (.truncated(.framing, at: 0), []),
            (.framing(found: 1), PublishedMessages.knownResponse),
            (.framing(found: 4), [4]),
            (.malformed(.method, at: 1), request(method: "")),
            (.malformed(.method, at: 1), request(method: "PO ST")),
            (.malformed(.scheme, at: 6), request(scheme: "1http")),
            (.malformed(.authority, at: 12), request(authority: "a b")),
            (.malformed(.path, at: 13), request(path: "")),
            (.malformed(.path, at: 13), request(path: "v1/batches")),
            (.malformed(.path, at: 13), request(path: "/v1\r\nx")),
            (.malformed(.path, at: 13), request(path: "/é")),
            (.malformed(.fieldName, at: 26), request([("DNT", "1")])),
            (.malformed(.fieldName, at: 26), request([(":path", "/")])),
            (.malformed(.fieldName, at: 26), request([("", "1")])),
            (.malformed(.fieldName, at: 26), request([("a b", "1")])),
            (.malformed(.fieldValue, at: 28), request([("x", "a\r\nb: c")])),
            (.malformed(.fieldValue, at: 28), request([("x", "\u{0}")])),
            (.malformed(.fieldValue, at: 28), request([("x", " a")])),
            (.malformed(.fieldValue, at: 28), request([("x", "a\t")])),
            (.malformed(.padding, at: 29), request(rest: [0, 0, 0, 1])),
            (.tooLarge(.content, found: 4097, limit: 4096), request(rest: [0x50, 0x01])),
            (.tooLarge(.content, found: (1 << 62) - 1, limit: 4096), request(rest: [UInt8](repeating: 0xff, count: 8))),
            (.truncated(.content, at: 28), request(rest: [0x40, 0x20])),
            (.tooLarge(.path, found: 2049, limit: 2048), request(path: "/" + String(repeating: "a", count: 2048))),
            (
                .tooLarge(.fields, found: 101, limit: 100),
                request([(String, String)](repeating: ("x", ""), count: 101))
            ),
        ]
        for (error, bytes) in refused { #expect(throws: error, "\(error)") { try Self.request(bytes) } }

        // The bytes of a value that is no UTF-8.
        var odd = request([("x", "a")])
        odd[29] = 0xff
        #expect(throws: ObliviousError.malformed(.fieldValue, at: 28)) { try Self.request(odd) }

        #expect(throws: ObliviousError.framing(found: 0)) { try Self.response(PublishedMessages.knownRequest) }
        #expect(throws: ObliviousError.malformed(.status, at: 1)) { try Self.response([1, 0x40, 99]) }
        #expect(throws: ObliviousError.malformed(.status, at: 1)) { try Self.response([1, 0x42, 0x58]) }
        let chatty = BinaryResponse(200, after: (0..<9).map { _ in .init(102) }).encoded()
        #expect(throws: ObliviousError.tooLarge(.status, found: 9, limit: 8)) { try Self.response(chatty) }
    }

    @Test("limits hold for content in chunks and for sections without a length, too")
    func indeterminateLimits() {
        let chunk = [0x48, 0x00] + [UInt8](repeating: 0x61, count: 2 << 10)
        let head = Array(BinaryRequest("POST", "/").encoded(.indeterminateLength).dropLast(2))
        #expect(throws: Never.self) { try Self.request([head, chunk, chunk, [0, 0]].flatMap(\.self)) }
        #expect(throws: ObliviousError.tooLarge(.content, found: 6 << 10, limit: 4 << 10)) {
            try Self.request([head, chunk, chunk, chunk, [0, 0]].flatMap(\.self))
        }
        let long = MessageField("x", String(repeating: "a", count: 9 << 10))
        #expect(throws: ObliviousError.tooLarge(.fields, found: (18 << 10) + 2, limit: 16 << 10)) {
            try Self.request(BinaryRequest("POST", "/", fields: [long, long]).encoded(.indeterminateLength))
        }
    }

    @Test("what is written padded has the size of its class, and is read as it was", arguments: MessageFraming.allCases)
    func padding(framing: MessageFraming) throws {
        for count in [0, 1, 63, 64, 950, 1024, 4000] {
            let content = Bytes.random(count)
            let request = BinaryRequest("POST", "/v1/batches", fields: [.init("sec-gpc", "1")], content: content)
            let response = BinaryResponse(202, fields: [.init("content-type", "application/json")], content: content)
            let bytes = [request.encoded(framing, isPadded: true), response.encoded(framing, isPadded: true)]
            for each in bytes { #expect([1 << 10, 4 << 10].contains(each.count)) }
            #expect(try Self.request(bytes[0]) == request)
            #expect(try Self.response(bytes[1]) == response)
        }
        #expect(SizeClass.bytes(holding: 0) == 1 << 10)
        let steps = [1 << 10: 1 << 10, 1025: 4 << 10, 262_145: 1 << 20, (1 << 20) + 1: 2 << 20, 3 << 20: 3 << 20]
        for (count, size) in steps { #expect(SizeClass.bytes(holding: count) == size) }
    }

    @Test("whatever bytes come, they are read or refused, and what is read is written and read the same")
    func mutations() throws {
        let seeds = [
            PublishedMessages.knownRequest, PublishedMessages.indeterminateRequest, PublishedMessages.shortRequest,
            PublishedMessages.indeterminateResponse, PublishedMessages.knownResponse,
        ]
        var taken = 0
        for round in 0..<60_000 {
            var bytes = round.isMultiple(of: 3) ? Bytes.random(.random(in: 0...40)) : seeds[round % seeds.count]
            for _ in 0..<Int.random(in: 0...3) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count)
                switch Int.random(in: 0..<4) {
                case 0: bytes[place] = .random(in: 0...255)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert([0, 1, 0x3f, 0x40, 0x80, 0xff].randomElement() ?? 0, at: place)
                default: bytes.removeLast(.random(in: 0...bytes.count - place))
                }
            }
            // Its places count from its own beginning, wherever that is in what it was cut from.
            let part = (Bytes.random(5) + bytes).dropFirst(5)
            if let request = try? BinaryRequest(part, limits: Self.limits) {  // refused is as good
                taken += 1
                for framing in MessageFraming.allCases {
                    #expect(try Self.request(request.encoded(framing)) == request)
                }
            }
            if let response = try? BinaryResponse(part, limits: Self.limits) {  // refused is as good
                taken += 1
                for framing in MessageFraming.allCases {
                    #expect(try Self.response(response.encoded(framing)) == response)
                }
            }
        }
        #expect(taken > 1000)
    }
}
