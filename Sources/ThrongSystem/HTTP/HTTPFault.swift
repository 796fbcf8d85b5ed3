internal import Glibc

/// The reason why an exchange came to no answer; never holds what a server said.
package enum HTTPFault: Error, Hashable, CustomStringConvertible {
    case address
    case header(name: String)
    case unresolved
    /// Nobody listens there; with the system's error number, 0 where it gave none.
    case notConnected(number: Int32)
    /// The server's certificate is not trusted; with OpenSSL's code, 0 where it is for another name.
    case certificate(verification: Int)
    case handshake
    case authorities(path: String)
    case brokenOff
    case late
    case longHead(limit: Int)
    case longBody(limit: Int)
    case cancelled
    case failed(code: Int, reason: String)

    package var description: String {
        switch self {
        case .address: "the address is no URL of a scheme that is allowed here"
        case .header(let name): "the header \(name) holds characters that no header may hold"
        case .unresolved: "the name has no address"
        case .notConnected(let number):
            number == 0
                ? "the server can't be reached" : "the server can't be reached (\(String(cString: strerror(number))))"
        case .certificate(let verification): "the server's certificate \(Self.verdict(verification))"
        case .handshake: "no TLS 1.2 or later with the server came about"
        case .authorities(let path): "\(path) can't be read, or is no file of certificates in PEM"
        case .brokenOff: "the connection broke off"
        case .late: "the time was over"
        case .longHead(let limit): "the head of the answer has more than \(limit) bytes"
        case .longBody(let limit): "the answer has more than \(limit) bytes"
        case .cancelled: "the request was given up"
        case .failed(let code, let reason): "\(reason) (libcurl's error \(code))"
        }
    }

    /// Source: X509_V_ERR_… in OpenSSL's x509_vfy.h.
    private static func verdict(_ verification: Int) -> String {
        switch verification {
        case 0: "is for another name"
        case 9: "is not valid yet"
        case 10: "has expired"
        case 2, 18, 19, 20, 21: "is vouched for by nobody that is trusted here"
        default: "is not trusted (error \(verification) of openssl-verify(1))"
        }
    }
}
