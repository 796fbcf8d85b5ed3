internal import NIOCore
internal import ThrongMembers

extension BatchHandler {
    /// Hands a whole request on to the daemon that counts it, and answers with what that says.
    func handOn(_ request: Neighbours.HandedOn, to member: Member, by neighbours: Neighbours) {
        guard let loop = context?.eventLoop else { return }
        Task { [self] in
            let answer = await neighbours.hand(request, to: member)
            loop.execute { self.answer(answer) }
        }
    }
}
