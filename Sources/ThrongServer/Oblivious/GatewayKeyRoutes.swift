internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ThrongWire

/// The route `GET /v1/ohttp-keys`: the keys for sealing requests, the same for everybody.
struct GatewayKeyRoutes {
    let gateway: ObliviousGateway

    /// A key opens for a day after it was published last. Unit: seconds.
    private static let cacheSeconds = 3600

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.get("/v1/ohttp-keys") { [gateway] _, _ in
            let list = gateway.list
            let bytes = ByteBuffer(bytes: list.configuration)
            var headers: HTTPFields = [
                .contentType: KeyConfiguration.mediaType, .contentLength: "\(bytes.readableBytes)",
                .cacheControl: "public, max-age=\(Self.cacheSeconds)", .xContentTypeOptions: "nosniff",
            ]
            if let name = HTTPField.Name(GatewayIdentity.signatureHeader) { headers[name] = list.signature }
            return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: bytes))
        }
    }
}
