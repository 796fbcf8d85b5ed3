import Foundation
import Synchronization
import Testing
import ThrongAttestation
import ThrongCredentials
import ThrongJournal
import ThrongSystem
import ThrongWire

@Suite("Keys of credentials come and go with their months")
struct EpochKeysTests {
    private static let epoch = CredentialHouse.november

    /// Whether a daemon's keys take what a credential shows.
    private func takes(
        _ credential: Credential, _ keys: EpochKeys, app: AppName, in epoch: Epoch = Self.epoch
    ) throws -> Bool {
        guard let secrets = keys.secrets(of: epoch, app: app) else { return false }
        return credential.present(for: [1]).isProved(
            for: [1], requestContext: try epoch.requestContext(of: app), by: secrets)
    }

    @Test("what is issued for an app and an epoch is taken there, and nowhere else")
    func rooms() throws {
        let house = try CredentialHouse()
        house.now = Self.epoch.end - 3600
        let keys = try house.keys()
        #expect(keys.issued == [Self.epoch, Self.epoch.next])
        let issuer = try #require(keys.issuer(of: Self.epoch, app: "shop"))
        let credential = try issuer.credential(of: "shop", Self.epoch)
        #expect(try takes(credential, keys, app: "shop"))
        #expect(try !takes(credential, keys, app: "notes"))
        #expect(try !takes(credential, keys, app: "shop", in: Self.epoch.next))
        #expect(keys.issuer(of: Self.epoch, app: "unknown") == nil)
        // The issuer can't see what it was asked for: a credential that says another app is no good with either key.
        let strayed = try issuer.credential(of: "notes", Self.epoch)
        #expect(try !takes(strayed, keys, app: "shop"))
        #expect(try !takes(strayed, keys, app: "notes"))
        let published = Set(
            [Self.epoch, Self.epoch.next].flatMap { epoch in
                ["shop", "notes"].map { keys.issuer(of: epoch, app: $0)?.publicKey }
            })
        #expect(published.count == 4 && published.allSatisfy { $0?.count == 99 })
    }

    @Test("a key is published for its month, checks two days longer, and then there is nothing left of it")
    func months() throws {
        let house = try CredentialHouse()
        let keys = try house.keys()
        let file = "\(Self.epoch.number).key"
        #expect(try house.files() == [file])
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(house.path)/credentials/\(file)")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let folder = try FileManager.default.attributesOfItem(atPath: "\(house.path)/credentials")
        #expect(folder[.posixPermissions] as? Int == 0o700)
        let credential = try #require(keys.issuer(of: Self.epoch, app: "shop")).credential(of: "shop", Self.epoch)

        house.now = Self.epoch.end - Epoch.lead
        keys.turn(mayDestroy: true)
        #expect(keys.issued == [Self.epoch, Self.epoch.next])
        house.now = Self.epoch.end
        keys.turn(mayDestroy: true)
        #expect(keys.issued == [Self.epoch.next])
        house.now = Self.epoch.over - 1
        keys.turn(mayDestroy: true)
        #expect(try takes(credential, keys, app: "shop"))
        house.now = Self.epoch.over
        keys.turn(mayDestroy: true)
        #expect(try !takes(credential, keys, app: "shop"))
        #expect(try house.files() == ["\(Self.epoch.next.number).key"])
    }

    @Test("a restart goes on by the keys that were kept")
    func restart() throws {
        let house = try CredentialHouse()
        let before = try house.keys()
        let credential = try #require(before.issuer(of: Self.epoch, app: "shop")).credential(of: "shop", Self.epoch)
        let after = try house.keys(apps: ["shop", "another"])
        #expect(try takes(credential, after, app: "shop"))
        #expect(
            after.issuer(of: Self.epoch, app: "shop")?.publicKey
                == before.issuer(of: Self.epoch, app: "shop")?.publicKey)
    }

    @Test("a clock that is ahead destroys nothing until it is believed, and its own months go once it is right again")
    func ahead() throws {
        let house = try CredentialHouse()
        let keys = try house.keys()
        let credential = try #require(keys.issuer(of: Self.epoch, app: "shop")).credential(of: "shop", Self.epoch)
        let before = house.now
        house.now = before + 380 * 86_400
        keys.turn(mayDestroy: false)
        #expect(try house.files().count == 2)
        house.now = before
        keys.turn(mayDestroy: true)
        #expect(try takes(credential, keys, app: "shop"))
        #expect(try house.files() == ["\(Self.epoch.number).key"])
    }

    @Test("a disk that takes no key has nothing issued by it, until it does")
    func fullDisk() throws {
        let house = try CredentialHouse()
        let blocked = "\(house.path)/credentials/\(Self.epoch.number).key.new"
        try FileManager.default.createDirectory(atPath: blocked, withIntermediateDirectories: true)
        try FileManager.default.removeItem(atPath: "\(house.path)/credentials")
        let keys = try house.keys()
        let next = "\(house.path)/credentials/\(Self.epoch.next.number).key.new"
        try FileManager.default.createDirectory(atPath: next, withIntermediateDirectories: false)
        house.now = Self.epoch.end
        keys.turn(mayDestroy: true)
        #expect(keys.issued.isEmpty && keys.issuer(of: Self.epoch.next, app: "shop") == nil)
        try FileManager.default.removeItem(atPath: next)
        keys.turn(mayDestroy: true)
        #expect(keys.issued == [Self.epoch.next])
    }

    @Test(
        "a file that is damaged is overwritten and said, and another key rests until all windows of the former are over"
    )
    func damaged() throws {
        let house = try CredentialHouse()
        let before = try #require(try house.keys().issuer(of: Self.epoch, app: "shop")).publicKey
        let path = "\(house.path)/credentials/\(Self.epoch.number).key"
        let whole = Array(try #require(FileManager.default.contents(atPath: path)))
        try FileManager.default.linkItem(atPath: path, toPath: house.path + "/witness")
        var changed = whole
        changed[100] ^= 1
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.write(contentsOf: changed)
        let said = Mutex<[FileDamage]>([])
        house.data.onDamage { damage in said.withLock { $0.append(damage) } }
        let keys = try house.keys()
        #expect(said.withLock { $0 } == [FileDamage(path: path, kind: .credentialKey, flaw: .changed(byte: 100))])
        #expect(FileManager.default.contents(atPath: house.path + "/witness") == Data(count: whole.count))
        // Devices that were counted by the former key may count once more only in other windows.
        #expect(keys.issued.isEmpty && keys.issuer(of: Self.epoch, app: "shop") == nil)
        #expect(try house.keys().issued.isEmpty, "after another start either")
        house.now = house.now + 2 * 86_400
        let after = try house.keys()
        #expect(after.issued == [Self.epoch] || after.issued == [Self.epoch, Self.epoch.next])
        #expect(try #require(after.issuer(of: Self.epoch, app: "shop")).publicKey != before)
    }

    @Test("a key that was half destroyed is gone, and nothing is said")
    func halfDestroyed() throws {
        let house = try CredentialHouse()
        let before = try #require(try house.keys().issuer(of: Self.epoch, app: "shop")).publicKey
        let path = "\(house.path)/credentials/\(Self.epoch.number).key"
        let size = try #require(FileManager.default.contents(atPath: path)).count
        #expect(FileManager.default.createFile(atPath: path, contents: Data(KeptFile.gone(size))))
        house.data.onDamage { Issue.record($0) }
        #expect(try house.keys().issuer(of: Self.epoch, app: "shop")?.publicKey != before)
    }

    @Test("a request without a proof is none to issue for, also where its commitments are the point at infinity")
    func unproved() throws {
        let house = try CredentialHouse()
        let issuer = try #require(try house.keys().issuer(of: Self.epoch, app: "shop"))
        let made = Precredential(for: try IssuerKey(rawRepresentation: issuer.publicKey), requestContext: [1])
        let bytes = made.request.rawRepresentation
        #expect(try ProvedRequest(bytes)?.bytes == bytes)
        var changed = bytes
        changed[225] ^= 1
        #expect(try ProvedRequest(changed) == nil)
        let infinite = bytes[..<33] + bytes[..<33] + [UInt8](repeating: 0, count: 160)
        #expect(try ProvedRequest(infinite) == nil)
        #expect(throws: AttestationError.length(of: .request, found: 225)) { try ProvedRequest(bytes.dropLast()) }
    }
}
