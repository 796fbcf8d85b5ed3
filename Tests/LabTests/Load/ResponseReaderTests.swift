import NIOCore
import Testing

@testable import throng_lab

@Suite("Responses are read as a daemon writes them")
struct ResponseReaderTests {
    private static let accepted =
        "HTTP/1.1 202 Accepted\r\ncontent-type: application/json\r\nContent-Length: 29\r\n\r\n{\"accepted\":100,\"refused\":[]}"

    private func read(_ pieces: [String]) throws -> [ResponseReader.Response?] {
        var reader = ResponseReader()
        return try pieces.map { piece in
            var bytes = ByteBuffer(string: piece)
            return try reader.read(&bytes)
        }
    }

    @Test("a whole response gives its status and the events that were accepted")
    func whole() throws {
        #expect(
            try read([Self.accepted])
                == [ResponseReader.Response(status: 202, acceptedEvents: 100, keepsAlive: true)])
    }

    @Test("a response in two pieces is whole with the second, wherever it was cut")
    func pieces() throws {
        for cut in 1..<Self.accepted.count {
            let pieces = [String(Self.accepted.prefix(cut)), String(Self.accepted.dropFirst(cut))]
            #expect(
                try read(pieces) == [nil, ResponseReader.Response(status: 202, acceptedEvents: 100, keepsAlive: true)])
        }
    }

    @Test("a refusal accepted nothing, and its connection may end")
    func refusal() throws {
        let text = "HTTP/1.1 503 Busy\r\nConnection: Close\r\ncontent-length: 2\r\n\r\n{}"
        #expect(try read([text]) == [ResponseReader.Response(status: 503, acceptedEvents: 0, keepsAlive: false)])
    }

    @Test(
        "what is no response with a length is refused",
        arguments: ["SSH-2.0-OpenSSH_9.2 and more\r\n\r\n", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"])
    func malformed(_ text: String) {
        #expect(throws: ResponseReader.Malformed.self) { try read([text]) }
    }
}
