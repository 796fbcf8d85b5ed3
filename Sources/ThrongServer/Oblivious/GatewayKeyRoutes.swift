internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ThrongOblivious

/// `GET /v1/ohttp-keys`: what requests are sealed with, the same for everybody.
struct GatewayKeyRoutes {
    let gateway: ObliviousGateway

    /// A key opens for a day after it was published last. Unit: seconds.
    private static let cacheSeconds = 3600

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.get("/v1/ohttp-keys") { [gateway] _, _ in
            let bytes = ByteBuffer(bytes: gateway.configuration)
            return Response(
                status: .ok,
                headers: [
                    .contentType: KeyConfiguration.mediaType, .contentLength: "\(bytes.readableBytes)",
                    .cacheControl: "public, max-age=\(Self.cacheSeconds)", .xContentTypeOptions: "nosniff",
                ],
                body: ResponseBody(byteBuffer: bytes))
        }
    }
}
