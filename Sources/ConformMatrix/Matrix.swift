package import Conform
import ConformClient
import Core
import HTTPClient
import HostLoop
import Imitation
package import JSON
import LocalTenant
package import Parties

/// All sign-ins of clients at providers, each with the habits of both.
package struct Matrix: Sendable {
  package let providers: [PartyProfile]
  package let clients: [PartyProfile]
  package private(set) var cells: [MatrixCell] = []

  package init(_ providers: [PartyProfile], _ clients: [PartyProfile]) {
    self.providers = providers
    self.clients = clients
  }

  /// Signs in once for each cell, one after the other.
  @HostActor package mutating func run(progress: @HostActor (_ done: Int, _ all: Int) -> Void) async throws {
    let keys = try TenantKeys()
    for provider in providers {
      let imitation = Imitation(provider, keys: keys)
      var configuration = TenantConfiguration()
      imitation.configure(&configuration)
      let tenant = try LocalTenant(configuration)
      defer { tenant.stop() }
      imitation.begin(at: tenant.url)
      let http = HTTPClient(HTTPClientConfiguration())
      for client in clients {
        try Task.checkCancellation()
        let signIn = ImitatedClient(
          provider: provider, client: client, tenant: tenant, imitation: imitation, http: http)
        var obstacle: Obstacle?
        do { try await signIn.signIn() } catch let found as Obstacle { obstacle = found }
        cells.append(MatrixCell(provider: provider, client: client, obstacle: obstacle))
        progress(cells.count, providers.count * clients.count)
      }
    }
  }

  package func cell(_ provider: PartyProfile, _ client: PartyProfile) -> MatrixCell? {
    cells.first { $0.provider.name == provider.name && $0.client.name == client.name }
  }

  package func count(_ culprit: Party?) -> Int { cells.count { $0.obstacle?.culprit == culprit } }

  /// `70 work, 20 break at the provider, 10 at the client, 20 need a setting`
  package var counts: String {
    let parties: [(Party?, String)] = [
      (nil, "work"), (.provider, "break: the provider is wrong"), (.client, "break: the client is wrong"),
      (.configuration, "need a setting"), (.program, "break here: a limit of this program"),
    ]
    return parties.compactMap { party, text in
      let number = count(party)
      return number > 0 ? "\(number) \(text)" : nil
    }.joined(separator: ", ")
  }

  package var json: JSON {
    [
      "providers": .array(providers.map { .string($0.name) }), "clients": .array(clients.map { .string($0.name) }),
      "cells": .array(cells.map(\.json)),
    ]
  }
}
