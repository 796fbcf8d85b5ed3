internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Closes a connection whose request takes too long, that is silent for too long, or whose place another needs.
///
/// The request's clock runs from the connection's start, or a later request's first bytes, and anew from a request's
/// head, to the request's end: a client that sends a byte now and then can't hold a connection for ever. The clock of
/// silence runs from the request's end.
///
/// Unchecked: a handler is confined to its channel's event loop.
final class ConnectionDeadline: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    struct Limits: Sendable {
        let request: TimeAmount
        let idle: TimeAmount
    }

    private let limits: Limits
    private let room: ConnectionRoom
    private let source: ConnectionSource
    private let security: SecurityLog
    private var place: ConnectionPlace?
    /// True if the place is one of the network that the connection comes from.
    private var isPlaced = false
    /// The time at which the connection is closed; it moves with every request, while the timer stays.
    private var due = NIODeadline.distantFuture
    private var timer: Scheduled<Void>?
    private var isArriving = false
    /// True if the bytes that were read last were part of a request, as far as the decoder could tell.
    private var hasDecoded = false

    init(_ limits: Limits, in room: ConnectionRoom, from source: ConnectionSource, security: SecurityLog) {
        (self.limits, self.room, self.source, self.security) = (limits, room, source, security)
    }

    func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { start(context) } }

    func channelActive(context: ChannelHandlerContext) {
        start(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasDecoded = true
        switch unwrapInboundIn(data) {
        case .head:
            begin()
            // A proxy has named its client by now, and names no other later.
            if !isPlaced, source.prefix != .unknown, let place {
                isPlaced = true
                if place.network != source.prefix { takePlace(of: source.prefix, context.channel) }
            }
        case .end:
            isArriving = false
            let now = NIODeadline.now()
            due = now + limits.idle
            place?.hear(at: now)
        case .body: break
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Bytes that are no part of a request yet: another head has begun to arrive.
        if !hasDecoded, !isArriving { begin() }
        hasDecoded = false
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if ServerCertificate.isFailedHandshake(error) { security.note(.handshake) }
        if error is HTTPParserError { security.note(.malformed) }
        context.fireErrorCaught(error)
    }

    private func begin() {
        isArriving = true
        due = .now() + limits.request
    }

    private func start(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        begin()
        takePlace(of: NetworkPrefix(ClientAddress(context.channel.remoteAddress)), context.channel)
        schedule(context.channel)
    }

    private func takePlace(of network: NetworkPrefix, _ channel: any Channel) {
        if let place { room.leave(place) }
        let place = ConnectionPlace(network) { channel.close(promise: nil) }
        self.place = place
        guard let leaving = room.enter(place) else { return }
        security.note(.place)
        leaving.giveUp()
    }

    private func stop() {
        timer?.cancel()
        timer = nil
        if let place { room.leave(place) }
        place = nil
    }

    /// Sets the timer: no later than the shorter limit from now, so that a due time that moves is seen in time.
    private func schedule(_ channel: any Channel) {
        let next = min(due - .now(), min(limits.request, limits.idle))
        timer = channel.eventLoop.scheduleTask(in: next) { [self] in
            if due <= .now() { channel.close(promise: nil) } else { schedule(channel) }
        }
    }
}

/// The places for a listener's open connections. It chooses the connection that makes room for a newcomer.
///
/// Once all places are taken, a newcomer gets the place of a silent connection: of the network that has most of them,
/// one that never sent a request, or has been silent for long. So silent connections keep nobody out, and a network
/// that opens many takes places from itself.
///
/// The networks of connections are held as long as these are open, and are passed on to nobody.
final class ConnectionRoom: Sendable {
    private struct State {
        var networks: [NetworkPrefix: [ConnectionPlace]] = [:]
        var taken = 0
        /// The network that had most connections at the last look, and their number then.
        var largest: (network: NetworkPrefix, count: Int)?
    }

    private let state = Mutex(State())
    private let places: Int

    /// The number of a network's connections that are drawn at random; the one that was silent for longest is closed.
    private static let sample = 16

    init(places: Int) { self.places = places }

    /// Takes a place; returns the connection that has to give up its own for it, and nil while there is room.
    func enter(_ place: ConnectionPlace) -> ConnectionPlace? {
        state.withLock { state in
            let leaving = state.taken < places ? nil : Self.mostSilent(&state)
            if let leaving { Self.remove(leaving, &state) }
            state.networks[place.network, default: []].append(place)
            let count = state.networks[place.network]?.count ?? 1
            place.index = count - 1
            state.taken += 1
            if count > state.largest?.count ?? 0 { state.largest = (place.network, count) }
            return leaving
        }
    }

    /// Gives a place up; does nothing if it was taken away.
    func leave(_ place: ConnectionPlace) { state.withLock { Self.remove(place, &$0) } }

    var taken: Int { state.withLock { $0.taken } }

    private static func remove(_ place: ConnectionPlace, _ state: inout State) {
        guard let index = place.index, var all = state.networks.removeValue(forKey: place.network) else { return }
        let last = all.removeLast()
        if index < all.count {
            all[index] = last
            last.index = index
        }
        place.index = nil
        state.taken -= 1
        if !all.isEmpty { state.networks[place.network] = all }
    }

    private static func mostSilent(_ state: inout State) -> ConnectionPlace? {
        // The largest network is looked for anew only once it has lost half of its connections: newcomers cost little.
        let known = state.largest.map { state.networks[$0.network]?.count ?? 0 } ?? 0
        if known == 0 || known < (state.largest?.count ?? 0) / 2 {
            state.largest = state.networks.max { $0.value.count < $1.value.count }.map { ($0.key, $0.value.count) }
        }
        guard let network = state.largest?.network, let all = state.networks[network] else { return nil }
        let some = all.count <= sample ? all[...] : (0..<sample).compactMap { _ in all.randomElement() }[...]
        return some.min { $0.standing < $1.standing }
    }
}

/// A connection's place among others.
final class ConnectionPlace: Sendable {
    let network: NetworkPrefix
    private let opened = NIODeadline.now().uptimeNanoseconds
    /// The time of the last whole request; 0 until one has come. Unit: nanoseconds.
    private let heard = Atomic<UInt64>(0)
    /// Closes the connection, so that another one gets its place.
    let giveUp: @Sendable () -> Void
    private let known = Mutex<Int?>(nil)

    init(_ network: NetworkPrefix, giveUp: @escaping @Sendable () -> Void) {
        (self.network, self.giveUp) = (network, giveUp)
    }

    /// The index in its network's list; nil without a place. Guarded by the room.
    fileprivate(set) var index: Int? {
        get { known.withLock { $0 } }
        set { known.withLock { $0 = newValue } }
    }

    /// The order in which connections are closed, lowest first: those that never sent a whole request, by the time at
    /// which they connected, then the others by the time of their last request.
    var standing: (hasSpoken: Int, since: UInt64) {
        let heard = heard.load(ordering: .relaxed)
        return heard == 0 ? (0, opened) : (1, heard)
    }

    func hear(at now: NIODeadline = .now()) { heard.store(now.uptimeNanoseconds, ordering: .relaxed) }
}

/// The pipeline's end at the socket: takes responses that are bytes already, and drops input that is not to be read.
///
/// Unchecked: a handler is confined to its channel's event loop.
final class SocketEnd: ChannelDuplexHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?
    /// True if the last answer is out, and the client has a moment to take it.
    private var isEnding = false
    /// True if further input is dropped. It is still read from the socket: a close with anything unread would destroy
    /// answers that the client has not got yet.
    var isDeaf = false

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// True if the client has reset the connection, so that nobody hears an answer. Earlier bytes may still come.
    var isReset: Bool {
        guard let provider = context?.channel as? any SocketOptionProvider else { return false }
        var state: UInt8?
        // The state is there at once, on the event loop.
        provider.getTCPInfo().assumeIsolated().whenSuccess { state = $0.tcpi_state }
        return state == UInt8(TCP_CLOSE)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { if !isDeaf { context.fireChannelRead(data) } }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if isEnding { context.read() }
    }

    func send(_ bytes: ByteBuffer, isLast: Bool) {
        guard let context else { return }
        guard isLast else { return context.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(bytes)).assumeIsolated().whenComplete { [self] result in
            guard case .success = result, channel.isActive else { return channel.close(promise: nil) }
            end(channel)
        }
    }

    /// Closes the output, and drops the client's further input until it has heard that, or for ``patience``. A socket
    /// that is closed with anything unread resets the connection (RFC 9112, section 9.6).
    private func end(_ channel: any Channel) {
        (isDeaf, isEnding) = (true, true)
        channel.close(mode: .output).whenFailure { _ in channel.close(promise: nil) }
        channel.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
        context?.read()
    }

    private static let patience: TimeAmount = .seconds(1)
}
