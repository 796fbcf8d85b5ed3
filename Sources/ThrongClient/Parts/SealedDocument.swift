internal import Crypto
internal import Foundation

/// A document that only the device can read that wrote it.
///
/// Shape, as JSON: `sealed`, in base64 AES-256-GCM's nonce, ciphertext and tag, with the document's name authenticated.
struct SealedDocument: Codable {
    private let sealed: Data

    static func seal(_ document: Data, named name: String, with key: SymmetricKey) throws -> Data {
        // A combined form always exists, with the nonce of 12 bytes that `seal` makes by itself.
        guard let sealed = try AES.GCM.seal(document, using: key, authenticating: Data(name.utf8)).combined else {
            throw ThrongError.storage("A document could not be sealed.")
        }
        return try JSONEncoder().encode(Self(sealed: sealed))
    }

    /// Opens a document. One that was never sealed is what it is: a library wrote it that did not do so yet, or a device
    /// without a key.
    ///
    /// - Throws: ``SealError`` if it was sealed by another device, or damaged since.
    static func open(_ data: Data, named name: String, with key: SymmetricKey?) throws -> Data {
        // What can't be read as such was never sealed.
        guard let document = try? JSONDecoder().decode(Self.self, from: data) else { return data }
        guard let key else { throw SealError.anotherDevice }
        do {
            return try AES.GCM.open(
                AES.GCM.SealedBox(combined: document.sealed), using: key, authenticating: Data(name.utf8))
        } catch {
            throw SealError.anotherDevice
        }
    }
}

/// The reason why a document can't be opened.
enum SealError: Error {
    /// Another device has sealed it, or it was damaged since.
    case anotherDevice
}
