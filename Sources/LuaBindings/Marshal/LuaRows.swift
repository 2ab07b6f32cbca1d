import HostLoop
import Lua
import TaskImport

/// Rows as tables by column name. A name that is not a column is an error, so that a misspelled one is not just nil.
@HostActor
struct LuaRows {
  private let maker: RowMaker

  init(_ header: CSVHeader, _ state: LuaState) {
    let metatable = state.makeTable()
    metatable["__index"] = .function(
      state.closure(
        HostFunction("row", "", [.any("row"), .any("column")]) { arguments in
          guard let name = arguments[1].string else { return [.nil] }
          _ = try header.column(named: name)
          return [.nil]
        }))
    maker = RowMaker(header.names, metatable: metatable, state)
  }

  func table(_ row: CSVRow) -> LuaValue {
    .table(maker.table { column, set in row.withBytes(of: column, set) })
  }
}
