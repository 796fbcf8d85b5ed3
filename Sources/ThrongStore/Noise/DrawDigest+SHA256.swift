internal import Crypto
internal import Foundation
internal import ThrongNoise
internal import ThrongWire

extension DrawDigest {
    /// Of a draw's canonical text.
    init(of draw: NoiseDraw) {
        self.init(hex: SHA256.hash(data: Data(draw.canonicalText.utf8)).lowerHex)
    }
}
