internal import CCurl
internal import Foundation
internal import Glibc

/// libcurl's handles of one connection; used and freed on one thread, but for ``wake(_:)``.
final class CurlHandle {
    private let easy: UnsafeMutableRawPointer
    private let multi: UnsafeMutableRawPointer
    private let rules: ConnectionRules

    static let isStarted = throng_curl_start() == 0

    /// Keeps a server that hangs up from ending the process: the library was told to leave signals alone.
    static func ignorePipes() {
        var pipe = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, nil)
    }

    /// Nil where there is no memory for it.
    init?(_ rules: ConnectionRules) {
        guard Self.isStarted, let easy = curl_easy_init() else { return nil }
        guard let multi = curl_multi_init() else {
            curl_easy_cleanup(easy)
            return nil
        }
        (self.easy, self.multi, self.rules) = (easy, multi, rules)
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_multi_cleanup(multi)
    }

    /// The argument of ``wake(_:)``; good for as long as this object lives.
    var bell: UInt { UInt(bitPattern: multi) }

    /// Makes the exchange under way look whether it was given up; from any thread.
    static func wake(_ bell: UInt) {
        guard let multi = UnsafeMutableRawPointer(bitPattern: bell) else { return }
        curl_multi_wakeup(multi)
    }

    /// Sends a request and blocks until its answer is there.
    func exchange(_ ask: Exchange) -> Result<ReceivedAnswer, HTTPFault> {
        let (request, left) = (ask.request, ask.left)
        guard left > .zero else { return .failure(.late) }
        if let name = request.malformedHeader { return .failure(.header(name: name)) }
        // Keeps the connection.
        curl_easy_reset(easy)
        guard let headers = Self.list(request) else { return .failure(Self.noMemory) }
        defer { curl_slist_free_all(headers) }
        var route: UnsafeMutablePointer<curl_slist>?
        if let pinned = rules.pinned {
            let address = pinned.address.contains(":") ? "[\(pinned.address)]" : pinned.address
            // The route holds for any name and port that the URL has.
            guard let made = curl_slist_append(nil, "::\(address):\(pinned.port)") else {
                return .failure(Self.noMemory)
            }
            route = made
        }
        defer { curl_slist_free_all(route) }
        let collector = AnswerCollector(bodyLimit: ask.bodyLimit)
        return withExtendedLifetime(collector) {
            request.body.withUnsafeBytes { body in
                do throws(HTTPFault) {
                    try setRules()
                    try setRequest(request, body, headers, route)
                    try setLimits(left)
                    try setCollector(collector)
                    try run(ask, collector)
                    return .success(collector.answer)
                } catch { return .failure(error) }
            }
        }
    }

    static let noMemory = HTTPFault.failed(code: Int(CURLE_OUT_OF_MEMORY.rawValue), reason: "Out of memory")

    /// The headers as lines, and those of the library's own taken away.
    private static func list(_ request: OutgoingRequest) -> UnsafeMutablePointer<curl_slist>? {
        let lines = request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        var given = Set(request.headers.map { $0.name.lowercased() })
        given.insert("host")
        let removed = ["Accept", "Expect", "Content-Type", "User-Agent"]
            .filter { !given.contains($0.lowercased()) }.map { "\($0):" }
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines + removed {
            guard let longer = curl_slist_append(list, line) else {
                curl_slist_free_all(list)
                return nil
            }
            list = longer
        }
        return list
    }

    private func check(_ code: CURLcode) throws(HTTPFault) {
        guard code == CURLE_OK else { throw Self.fault(code, easy, rules.authorities) }
    }

    private func setRules() throws(HTTPFault) {
        try Self.protect(easy, rules.authorities)
        try check(throng_curl_set_text(easy, CURLOPT_PROTOCOLS_STR, rules.allowsPlain ? "http,https" : "https"))
        try check(throng_curl_set_number(easy, CURLOPT_FOLLOWLOCATION, 0))
        try check(throng_curl_set_number(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)))
        try check(throng_curl_set_number(easy, CURLOPT_FRESH_CONNECT, rules.isKept ? 0 : 1))
        try check(throng_curl_set_number(easy, CURLOPT_FORBID_REUSE, rules.isKept ? 0 : 1))
        // A path is sent as it is written.
        try check(throng_curl_set_number(easy, CURLOPT_PATH_AS_IS, 1))
    }

    /// Makes TLS 1.2 or later and a certificate for the server's name a must, whatever the environment says.
    ///
    /// - Parameter path: of certificates that vouch for servers, beside the system's; nil for none.
    static func protect(_ easy: UnsafeMutableRawPointer, _ path: String?) throws(HTTPFault) {
        func check(_ code: CURLcode) throws(HTTPFault) { guard code == CURLE_OK else { throw fault(code, easy, path) } }
        try check(throng_curl_set_number(easy, CURLOPT_NOSIGNAL, 1))
        // Empty, and not unset: the environment has no say.
        try check(throng_curl_set_text(easy, CURLOPT_PROXY, ""))
        try check(throng_curl_set_number(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)))
        try check(throng_curl_set_number(easy, CURLOPT_SSL_VERIFYPEER, 1))
        try check(throng_curl_set_number(easy, CURLOPT_SSL_VERIFYHOST, 2))
        guard let path else { return }
        let mark = Data("-----BEGIN CERTIFICATE-----".utf8)
        guard let added = FileManager.default.contents(atPath: path), added.range(of: mark) != nil else {
            throw .authorities(path: path)
        }
        // The library takes these instead of the system's file, so that they are put together.
        var all =
            throng_curl_authorities().flatMap { FileManager.default.contents(atPath: String(cString: $0)) } ?? Data()
        all.append(UInt8(ascii: "\n"))
        all.append(added)
        try check(all.withUnsafeBytes { throng_curl_set_blob(easy, CURLOPT_CAINFO_BLOB, $0.baseAddress, $0.count) })
    }

    private func setRequest(
        _ request: OutgoingRequest, _ body: UnsafeRawBufferPointer, _ headers: UnsafeMutablePointer<curl_slist>,
        _ route: UnsafeMutablePointer<curl_slist>?
    ) throws(HTTPFault) {
        try check(throng_curl_set_text(easy, CURLOPT_URL, request.url))
        try check(throng_curl_set_list(easy, CURLOPT_HTTPHEADER, headers))
        if let route { try check(throng_curl_set_list(easy, CURLOPT_CONNECT_TO, route)) }
        guard request.method != .get else { return try check(throng_curl_set_number(easy, CURLOPT_HTTPGET, 1)) }
        try check(throng_curl_set_number(easy, CURLOPT_POST, 1))
        try check(throng_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
        if let bytes = body.baseAddress, !body.isEmpty {
            try check(throng_curl_set_bytes(easy, CURLOPT_POSTFIELDS, bytes))
        } else {
            try check(throng_curl_set_text(easy, CURLOPT_COPYPOSTFIELDS, ""))
        }
        try check(throng_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method.rawValue))
    }

    private func setLimits(_ limit: Duration) throws(HTTPFault) {
        try check(throng_curl_set_number(easy, CURLOPT_TIMEOUT_MS, Self.milliseconds(limit)))
        try check(throng_curl_set_number(easy, CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(rules.connectLimit)))
    }

    private func setCollector(_ collector: AnswerCollector) throws(HTTPFault) {
        let context = Unmanaged.passUnretained(collector).toOpaque()
        try check(throng_curl_set_bytes(easy, CURLOPT_HEADERDATA, context))
        try check(throng_curl_set_bytes(easy, CURLOPT_WRITEDATA, context))
        try check(
            throng_curl_set_take(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                CurlHandle.hand(bytes, size * count, context) { $0.take(line: $1) }
            })
        try check(
            throng_curl_set_take(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                CurlHandle.hand(bytes, size * count, context) { $0.take(piece: $1) }
            })
    }

    /// Returns the number of bytes that were taken; fewer than there are end the exchange.
    private static func hand(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
        _ take: (AnswerCollector, UnsafeBufferPointer<UInt8>) -> Bool
    ) -> Int {
        guard let bytes, let context, count > 0 else { return 0 }
        let collector = Unmanaged<AnswerCollector>.fromOpaque(context).takeUnretainedValue()
        return bytes.withMemoryRebound(to: UInt8.self, capacity: count) {
            take(collector, UnsafeBufferPointer(start: $0, count: count)) ? count : 0
        }
    }

    private func run(_ ask: Exchange, _ collector: AnswerCollector) throws(HTTPFault) {
        guard curl_multi_add_handle(multi, easy) == CURLM_OK else { throw Self.noMemory }
        defer { curl_multi_remove_handle(multi, easy) }
        var running: Int32 = 1
        while true {
            guard !ask.isCancelled else { throw .cancelled }
            let code = curl_multi_perform(multi, &running)
            guard code == CURLM_OK else {
                throw .failed(code: Int(code.rawValue), reason: String(cString: curl_multi_strerror(code)))
            }
            if running == 0 { break }
            // The library knows when its own limits are over.
            curl_multi_poll(multi, nil, 0, 1000, nil)
        }
        let outcome = throng_curl_outcome(multi)
        guard outcome >= 0 else { throw .brokenOff }
        if let fault = collector.fault { throw fault }
        let code = CURLcode(UInt32(outcome))
        // It was us who had heard enough.
        if code == CURLE_WRITE_ERROR, collector.hasHead, ask.bodyLimit == nil { return }
        try check(code)
        guard collector.hasHead else { throw .brokenOff }
    }

    /// OpenSSL's code. The library begins with 1, and leaves it where the chain is fine and the name is not.
    private static func verification(_ easy: UnsafeMutableRawPointer) -> Int {
        let code = throng_curl_number(easy, CURLINFO_SSL_VERIFYRESULT)
        return code == 1 ? 0 : code
    }

    static func fault(_ code: CURLcode, _ easy: UnsafeMutableRawPointer, _ authorities: String?) -> HTTPFault {
        switch code {
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .address
        case CURLE_COULDNT_RESOLVE_HOST: .unresolved
        case CURLE_COULDNT_CONNECT: .notConnected(number: Int32(throng_curl_number(easy, CURLINFO_OS_ERRNO)))
        case CURLE_PEER_FAILED_VERIFICATION: .certificate(verification: verification(easy))
        case CURLE_SSL_CONNECT_ERROR: .handshake
        case CURLE_SSL_CACERT_BADFILE: .authorities(path: authorities ?? "the system's list")
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE: .brokenOff
        case CURLE_OPERATION_TIMEDOUT: .late
        default: .failed(code: Int(code.rawValue), reason: String(cString: curl_easy_strerror(code)))
        }
    }

    static func milliseconds(_ limit: Duration) -> Int { Int(min(max(limit / .milliseconds(1), 1), 1_000_000_000)) }
}
