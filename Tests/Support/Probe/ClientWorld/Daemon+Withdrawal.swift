import Foundation
import Synchronization
import ThrongIngest
import ThrongPlan
import ThrongWire

extension Daemon {
    /// Takes an identifier out of its window, as the daemon does once its journal and PostgreSQL have all that came before.
    ///
    /// - Returns: a receipt.
    func withdraw(_ body: String, now: UnixSeconds, _ isSealed: Bool) throws(IntakeError) -> String {
        var text = body
        let read: Result<IncomingWithdrawal, IntakeError> = text.withUTF8 { bytes in
            do throws(IntakeError) {
                return .success(try intake.readWithdrawal(bytes, now: now, isSealed: isSealed))
            } catch {
                return .failure(error)
            }
        }
        let incoming = try read.get()
        let window = incoming.window
        return try state.withLock { (state) throws(IntakeError) in
            if let request = try? JSONDecoder().decode(WithdrawRequest.self, from: Data(body.utf8)) {
                state.withdrawals.append(request)
            }
            let key = state.keys[window] ?? .random()
            state.keys[window] = key
            let identifier = incoming.identifier.keyed(with: key)
            close(&state, now: now)
            switch state.counting.requestRemoval(of: identifier, from: window, now: now) {
            case .full: throw IntakeError.noMemory
            case .windowOver: throw .windowOutOfRange(current: window.rotation.window(at: now).value)
            case .repeated: break
            case .noted: remove(identifier, from: window, &state)
            }
            return key.receipt(of: identifier)
        }
    }

    private func remove(_ identifier: KeyedIdentifier, from window: WindowID, _ state: inout State) {
        apply(&state)
        let batches = state.journal[window] ?? []
        let found = [identifier: batches.filter { $0.identifier == identifier }]
        _ = state.counting.remove(found, from: window, largest: 1000)
        apply(&state)
    }
}
