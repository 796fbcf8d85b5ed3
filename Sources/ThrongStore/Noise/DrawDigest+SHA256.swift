internal import Crypto
internal import Foundation
internal import ThrongNoise

extension DrawDigest {
    /// Of a draw's canonical text.
    init(of draw: NoiseDraw) {
        self.init(hex: LowerHex.text(SHA256.hash(data: Data(draw.canonicalText.utf8))))
    }
}
