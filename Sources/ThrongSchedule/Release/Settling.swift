package import ThrongStore

/// Asks daemons whether PostgreSQL has what they acknowledged; `SettlementStore` is the real one, whose functions these are.
package protocol Settling: Sendable {
    /// Asks all daemons; returns the asking's number.
    func askToSettle() async throws -> Int64
    /// The daemons that have not answered an asking.
    func unsettled(_ asking: Int64) async throws -> [UnsettledDaemon]
}

extension SettlementStore: Settling {}
