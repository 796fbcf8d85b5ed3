internal import Foundation
internal import ThrongWire

/// Attesters that are platforms'.
extension CredentialSettings {
    static func appAttest(_ part: SettingsPart) throws(CredentialSettingsError) -> AppAttestAttester {
        let body = try part.members(of: ["apps", "environment", "roots"])
        guard let place = body["apps"] else { throw part.problem("apps is missing") }
        let apps = try place.texts()
        guard apps.allSatisfy({ $0.wholeMatch(of: /[A-Z0-9]{10}\.[A-Za-z0-9.-]+/) != nil }) else {
            throw place.problem("apps takes a list of identifiers, such as ABCDE12345.com.example.shop")
        }
        let isDevelopment = try isDevelopment(body, of: part)
        let roots = try body["roots"].map { part throws(CredentialSettingsError) in try contents(part) }
        guard let attester = AppAttestAttester(apps: apps, isDevelopment: isDevelopment, roots: roots) else {
            throw part.problem("roots takes a file of certificates in PEM")
        }
        return attester
    }

    static func deviceCheck(
        _ part: SettingsPart, most: Int, secrets: String
    ) throws(CredentialSettingsError) -> DeviceCheckAttester {
        let body = try part.members(of: ["team", "key", "secret", "environment", "seconds"])
        guard let team = body["team"], let key = body["key"], let secret = body["secret"] else {
            throw part.problem("team, key and secret are needed")
        }
        for place in [team, key] where try place.text().wholeMatch(of: /[A-Z0-9]{10}/) == nil {
            throw place.problem("team and key take identifiers of ten letters and digits, as Apple gives them")
        }
        guard most <= DeviceCheckAttester.mostCounted else {
            throw part.problem(
                "Apple's two bits count to \(DeviceCheckAttester.mostCounted); lower 'credentials', or take app-attest")
        }
        return DeviceCheckAttester(
            address: DeviceCheckAttester.address(isDevelopment: try isDevelopment(body, of: part)),
            team: try team.text(), key: try key.text(), secret: try secret.file(in: secrets), most: most,
            seconds: try body["seconds"]?.number(1...60) ?? 10)
    }

    private static func isDevelopment(
        _ body: [String: SettingsPart], of part: SettingsPart
    ) throws(CredentialSettingsError) -> Bool {
        let environment = try body["environment"]?.text() ?? "production"
        guard let isDevelopment = ["production": false, "development": true][environment] else {
            throw part.problem("environment takes production or development")
        }
        return isDevelopment
    }

    static func androidKey(_ part: SettingsPart) throws(CredentialSettingsError) -> AndroidKeyAttester {
        let body = try part.members(of: ["packages", "signers", "level", "roots", "revoked"])
        guard let packages = body["packages"], let signers = body["signers"], let roots = body["roots"] else {
            throw part.problem("packages, signers and roots are needed")
        }
        var digests: [[UInt8]] = []
        for text in try signers.texts() {
            guard let digest = [UInt8](hex: text.replacing(":", with: "")), digest.count == 32 else {
                throw signers.problem(
                    "signers takes a list of SHA-256 digests in hexadecimal, as apksigner prints them")
            }
            digests.append(digest)
        }
        let level = try body["level"]?.text() ?? "trusted_environment"
        guard let needsStrongBox = ["trusted_environment": false, "strong_box": true][level] else {
            throw part.problem("level takes trusted_environment or strong_box")
        }
        guard
            let attester = AndroidKeyAttester(
                packages: try packages.texts(), signers: digests, needsStrongBox: needsStrongBox,
                roots: try contents(roots), revoked: try body["revoked"]?.text())
        else { throw roots.problem("roots takes a file of certificates in PEM") }
        return attester
    }

    private static func contents(_ file: SettingsPart) throws(CredentialSettingsError) -> String {
        let path = try file.text()
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw file.problem("\(path) can't be read")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
