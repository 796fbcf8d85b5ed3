import ArgumentParser
import AsyncHTTPClient
import Configuration
import Hummingbird
import ThrongServer

@main
struct ThrongCommand: AsyncParsableCommand {
    func run() async throws { print("hello") }
}
