internal import HTTPTypes
internal import Hummingbird

/// `GET /throng.js`: the beacon for web pages.
struct ScriptRoutes {
    private let script = ServedText(
        Self.text, type: "text/javascript; charset=utf-8", cachedFor: 3600,
        headers: [.crossOriginResourcePolicy: "cross-origin"])

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.get("/throng.js") { request, _ in script.response(to: request) }
    }

    /// The source without comments and without the spaces that mean nothing: none of its strings and expressions has any
    /// beside these signs, and each of its statements ends with a semicolon.
    static let text =
        String(decoding: PackageResources.throng_js, as: UTF8.self)
        .split(separator: "\n")
        .map { $0.drop { $0 == " " } }
        .filter { !$0.isEmpty && !$0.hasPrefix("//") }
        .joined(separator: "\n")
        .replacing(/\s*([=<>?:;,(){}\[\]|&!*%])\s*/) { $0.1 } + "\n"
}
