#pragma once

#include <sqlite3.h>

/// Registers the VFS "b2c-folder", which opens a database by its name in a folder that is held open. Returns a result code.
///
/// A database of it is opened by "/r<folder>/<name>" to be read, or "/w<folder>/<name>" to be written, too; `<folder>` is the
/// number of a descriptor that stays open as long as the connection. Such a connection
/// - opens the database and its write-ahead log, and no third file: no rollback journal, which could name files that SQLite
///   then removes, no shared memory, no attached database;
/// - follows no link, and writes no log that is not a file of the same owner with a single name;
/// - takes no lock, since it has to be the only one that writes: `PRAGMA locking_mode = EXCLUSIVE` comes first.
///
/// Why in C: a VFS is a table of C functions.
int csqlite_register_folder_vfs(void);

/// Keeps a connection from what a hostile file could have it do: no functions and no virtual tables by the schema, no
/// triggers, no views, no attached databases, no changes to SQLite's own tables, no value above `longest` bytes.
///
/// Why in C: `sqlite3_db_config` takes variable arguments.
int csqlite_distrust_file(sqlite3 *_Nonnull database, int longest);

/// Leaves the write-ahead log as it is when the connection is closed.
int csqlite_keep_log(sqlite3 *_Nonnull database);
