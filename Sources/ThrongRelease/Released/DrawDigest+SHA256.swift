internal import Crypto
internal import Foundation
package import ThrongNoise
internal import ThrongWire

extension DrawDigest {
    /// Of a draw's canonical text.
    package init(of draw: NoiseDraw) {
        self.init(hex: SHA256.hash(data: Data(draw.canonicalText.utf8)).lowerHex)
    }
}
