internal import Logging
internal import ThrongPlan
internal import ThrongStore

extension Daemon {
    /// What noise is derived from; nil where no plan has any, or where the secret can't be used: noise is as random then, and
    /// only a restored database draws it again.
    var noiseSecret: InstallationSecret? {
        guard options.plans.contains(where: { $0.metrics.contains { $0.noise != nil } }) else { return nil }
        do {
            return try InstallationSecret.kept(inDataPath: options.dataPath)
        } catch {
            logger.error(
                "noise is drawn without the installation's secret", metadata: ["reason": .string("\(error)")])
            return nil
        }
    }
}
