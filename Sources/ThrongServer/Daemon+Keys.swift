internal import ServiceLifecycle
internal import ThrongCredentials
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongSchedule
internal import ThrongWire

extension Daemon {
    func keyRounds(_ parts: DaemonParts, _ gateway: ObliviousGateway) -> [any Service] {
        let rounds = parts.telemetry.rounds
        let backups = BackupMarks(dataPath: options.dataPath)
        var services: [any Service] = [
            // Keys come and go with their days and months.
            PeriodicTask(.gatewayKeys, every: .seconds(10), on: rounds) {
                if let fault = await onOwnThread({ gateway.turn() }) { throw fault }
            },
            PeriodicTask(.credentialKeys, every: .seconds(10), on: rounds) {
                [keys = parts.credentialKeys, trustedClock = parts.trustedClock] in
                if let fault = await onOwnThread({ keys.turn(mayDestroy: trustedClock.isConfirmed) }) { throw fault }
            },
            PeriodicTask(.backups, every: .seconds(60), on: rounds) { [clock] in
                try await onOwnThread { try backups.check(at: clock.now) }
            },
        ]
        if let keys = parts.ingestion.intake.keys {
            let file = AppKeyFile(dataPath: options.dataPath)
            services.append(AppKeyWatch(file: file, ring: keys, health: rounds, logger: logger))
        }
        if let certificates { services.append(CertificateWatch(certificates: certificates, health: rounds)) }
        return services
    }
}
