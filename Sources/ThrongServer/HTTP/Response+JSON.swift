internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

extension Response {
    /// A response with a JSON body.
    static func json(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json", .contentLength: String(text.utf8.count)],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// A response with a line of text.
    static func text(_ status: HTTPResponse.Status, _ text: String, type: String = "text/plain; charset=utf-8")
        -> Response
    {
        Response(
            status: status,
            headers: [.contentType: type, .contentLength: String(text.utf8.count)],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
