import ThrongPlan
import ThrongSystem

@testable import ThrongIngest
@testable import ThrongJournal
@testable import ThrongServer

extension World {
    /// A client asks for what one of the identifiers in use has added to be taken away.
    func withdraw(_ chance: inout SeededGenerator) {
        let recent = oracle.posts.suffix(40)
        guard !recent.isEmpty, daemon.isAwake, let ingestion = daemon.ingestion else { return }
        let sender = recent[recent.startIndex + chance.below(recent.count)].sender
        let current = sender.window.rotation.window(at: clock.shown).value
        guard (current - 1...current + 1).contains(sender.window.number.value) else { return }
        let incoming = IncomingWithdrawal(
            window: sender.window, identifier: sender.identifier.withUnsafeBufferPointer { RawIdentifier($0) })
        do {
            let (_, position) = try ingestion.withdraw(incoming)
            oracle.mayWithdraw(sender)
            trace.note("withdraws", Int64(position.value))
            let daemon = daemon
            ingestion.journal.acknowledgeable(position) { [weak self] result in
                guard let self, daemon.port.isAlive, case .success = result else { return }
                self.oracle.withdraws(sender)
                self.trace.note("withdrawal acknowledged", Int64(sender.who))
            }
        } catch Unavailable.failed {
            oracle.mayWithdraw(sender)
        } catch is Unavailable {
            trace.note("turned away")
        } catch {
            trace.note("refused")
        }
        executor.drain()
    }
}
