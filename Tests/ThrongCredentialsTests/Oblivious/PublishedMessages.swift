@testable import ThrongWire

/// The examples of RFC 9292, section 5, and of RFC 9458, appendix A.
enum PublishedMessages {
    /// RFC 9292, figure 8: a request of known length.
    static let knownRequest = Bytes.of(
        """
        0003474554056874747073000a2f68656c6c6f2e747874406c0a757365722d6167656e74346375726c2f372e31362e33206c69626375726c2f
        372e31362e33204f70656e53534c2f302e392e376c207a6c69622f312e322e3304686f73740f7777772e6578616d706c652e636f6d0f616363
        6570742d6c616e677561676506656e2c206d690000
        """)

    /// RFC 9292, figure 9: the same of indeterminate length, with ten bytes of padding.
    static let indeterminateRequest = Bytes.of(
        """
        0203474554056874747073000a2f68656c6c6f2e7478740a757365722d6167656e74346375726c2f372e31362e33206c69626375726c2f372e
        31362e33204f70656e53534c2f302e392e376c207a6c69622f312e322e3304686f73740f7777772e6578616d706c652e636f6d0f6163636570
        742d6c616e677561676506656e2c206d6900000000000000000000000000
        """)

    /// What both of them say.
    static let request = BinaryRequest(
        "GET", "/hello.txt",
        fields: [
            .init("user-agent", "curl/7.16.3 libcurl/7.16.3 OpenSSL/0.9.7l zlib/1.2.3"),
            .init("host", "www.example.com"),
            .init("accept-language", "en, mi"),
        ])

    /// RFC 9292, figure 11: a response of indeterminate length, after two informational ones.
    static let indeterminateResponse = Bytes.of(
        """
        0340660772756e6e696e670a22736c65657020313522004067046c696e6b233c2f7374796c652e6373733e3b2072656c3d7072656c6f61643b
        2061733d7374796c65046c696e6b243c2f7363726970742e6a733e3b2072656c3d7072656c6f61643b2061733d7363726970740040c8046461
        74651d4d6f6e2c203237204a756c20323030392031323a32383a353320474d5406736572766572064170616368650d6c6173742d6d6f646966
        6965641d5765642c203232204a756c20323030392031393a31353a353620474d5404657461671422333461613338372d642d31353638656230
        30220d6163636570742d72616e6765730562797465730e636f6e74656e742d6c656e67746802353104766172790f4163636570742d456e636f
        64696e670c636f6e74656e742d747970650a746578742f706c61696e003348656c6c6f20576f726c6421204d7920636f6e74656e7420696e63
        6c75646573206120747261696c696e672043524c462e0d0a0000
        """)

    /// What figure 11 says.
    static let longResponse = BinaryResponse(
        200,
        fields: [
            .init("date", "Mon, 27 Jul 2009 12:28:53 GMT"), .init("server", "Apache"),
            .init("last-modified", "Wed, 22 Jul 2009 19:15:56 GMT"), .init("etag", "\"34aa387-d-1568eb00\""),
            .init("accept-ranges", "bytes"), .init("content-length", "51"), .init("vary", "Accept-Encoding"),
            .init("content-type", "text/plain"),
        ],
        content: Array("Hello World! My content includes a trailing CRLF.\r\n".utf8),
        after: [
            .init(102, fields: [.init("running", "\"sleep 15\"")]),
            .init(
                103,
                fields: [
                    .init("link", "</style.css>; rel=preload; as=style"),
                    .init("link", "</script.js>; rel=preload; as=script"),
                ]),
        ])

    /// RFC 9292, figure 13: a response of known length with a trailer.
    static let knownResponse = Bytes.of(
        "0140c8001d5468697320636f6e74656e7420636f6e7461696e732043524c462e0d0a0d07747261696c65720474657874")

    /// What figure 13 says.
    static let trailedResponse = BinaryResponse(
        200, content: Array("This content contains CRLF.\r\n".utf8), trailers: [.init("trailer", "text")])

    // MARK: RFC 9458, appendix A

    static let gatewaySecret = Bytes.of("3c168975674b2fa8e465970b79c8dcf09f1c741626480bd4c6162fc5b6a98e1a")
    static let configuration = Bytes.of(
        "01002031e1f05a740102115220e9af918f738674aec95f54db6e04eb705aae8e79815500080001000100010003")
    static let shortRequest = Bytes.of("00034745540568747470730b6578616d706c652e636f6d012f")
    static let ephemeralSecret = Bytes.of("bc51d5e930bda26589890ac7032f70ad12e4ecb37abb1b65b1256c9c48999c73")
    static let sealedRequest = Bytes.of(
        """
        010020000100014b28f881333e7c164ffc499ad9796f877f4e1051ee6d31bad19dec96c208b4726374e469135906992e1268c594d2a10c695d
        858c40a026e7965e7d86b83dd440b2c0185204b4d63525
        """)
    static let shortResponse = Bytes.of("0140c8")
    static let responseNonce = Bytes.of("c789e7151fcba46158ca84b04464910d")
    static let sealedResponse = Bytes.of("c789e7151fcba46158ca84b04464910d86f9013e404feea014e7be4a441f234f857fbd")
}
