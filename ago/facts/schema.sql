-- Facts of one workspace and one build. A cache: any row can be made again by agocheck.
--
-- Units are keyed (package, variant, context, module). The rows of one unit lie together: the id of a
-- fact is unit.id << 24 | ordinal, so a unit is replaced by ranges of ids and needs no index for it.
-- Names are interned (symbol, path); fact rows hold numbers.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- The graph: what agocheck's `load` answered.

CREATE TABLE context (
  id     INTEGER PRIMARY KEY,
  goos   TEXT NOT NULL,
  goarch TEXT NOT NULL,
  tags   TEXT NOT NULL,
  cgo    INTEGER NOT NULL,
  UNIQUE (goos, goarch, tags, cgo)
);

CREATE TABLE module (
  id         INTEGER PRIMARY KEY,
  path       TEXT NOT NULL UNIQUE,
  dir        TEXT NOT NULL,
  main       INTEGER NOT NULL,
  workspace  INTEGER NOT NULL,
  go_version TEXT NOT NULL,
  gomod      TEXT NOT NULL
);

CREATE TABLE package (
  id      INTEGER PRIMARY KEY,
  pkg     TEXT NOT NULL,
  context INTEGER NOT NULL REFERENCES context,
  module  INTEGER REFERENCES module,
  name    TEXT NOT NULL,
  dir     TEXT NOT NULL,
  main    INTEGER NOT NULL,
  cgo     INTEGER NOT NULL,
  error   TEXT NOT NULL,
  UNIQUE (pkg, context)
);

CREATE TABLE package_file (
  package INTEGER NOT NULL REFERENCES package ON DELETE CASCADE,
  path    TEXT NOT NULL,
  role    TEXT NOT NULL,
  PRIMARY KEY (package, path)
) WITHOUT ROWID;

-- kind: 0 import of a Go file, 1 of an in-package test, 2 of an external test.
CREATE TABLE package_import (
  package  INTEGER NOT NULL REFERENCES package ON DELETE CASCADE,
  imported TEXT NOT NULL,
  kind     INTEGER NOT NULL,
  PRIMARY KEY (package, imported, kind)
) WITHOUT ROWID;
CREATE INDEX package_import_imported ON package_import (imported);

-- What lies on the disk: every Go file and build file that the sweep watches, and every folder.

CREATE TABLE disk_file (
  path      TEXT PRIMARY KEY,
  mtime_ns  INTEGER NOT NULL,
  ctime_ns  INTEGER NOT NULL,
  size      INTEGER NOT NULL,
  inode     INTEGER NOT NULL,
  read_ns   INTEGER NOT NULL,
  hash      TEXT NOT NULL,
  generated INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE disk_dir (
  path     TEXT PRIMARY KEY,
  mtime_ns INTEGER NOT NULL,
  read_ns  INTEGER NOT NULL
) WITHOUT ROWID;

-- Interned names.

CREATE TABLE path (
  id   INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE
);

CREATE TABLE symbol (
  id  INTEGER PRIMARY KEY,
  pkg TEXT NOT NULL,
  sym TEXT NOT NULL,
  UNIQUE (pkg, sym)
);
CREATE INDEX symbol_sym ON symbol (sym, pkg);

-- Declared symbols by every three letters of their name, for search; rowid = symbol.id. A symbol
-- that is declared no more stays, and is left out by its want of an object.
CREATE VIRTUAL TABLE symbol_name USING fts5 (sym, content = '', tokenize = 'trigram');
CREATE TABLE named (symbol INTEGER PRIMARY KEY);

CREATE TABLE role (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);

-- Units and their facts.

CREATE TABLE unit (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  pkg      TEXT NOT NULL,
  variant  TEXT NOT NULL,
  context  INTEGER NOT NULL,
  module   TEXT NOT NULL,
  name     TEXT NOT NULL,
  api_hash TEXT NOT NULL,
  errors   INTEGER NOT NULL,
  UNIQUE (pkg, variant, context, module)
);

CREATE TABLE unit_file (
  unit   INTEGER NOT NULL,
  path   INTEGER NOT NULL,
  hash   TEXT NOT NULL,
  vector TEXT NOT NULL,
  PRIMARY KEY (unit, path)
) WITHOUT ROWID;
CREATE INDEX unit_file_path ON unit_file (path);

CREATE TABLE diagnostic (
  id     INTEGER PRIMARY KEY,
  file   TEXT NOT NULL,
  line   INTEGER NOT NULL,
  col    INTEGER NOT NULL,
  off    INTEGER NOT NULL,
  "end"  INTEGER NOT NULL,
  code   TEXT NOT NULL,
  msg    TEXT NOT NULL,
  source TEXT NOT NULL,
  soft   INTEGER NOT NULL
);

CREATE TABLE object (
  id        INTEGER PRIMARY KEY,
  symbol    INTEGER NOT NULL,
  kind      TEXT NOT NULL,
  type      TEXT NOT NULL,
  doc       TEXT NOT NULL,
  exported  INTEGER NOT NULL,
  path      INTEGER NOT NULL,
  name_off  INTEGER NOT NULL,
  name_line INTEGER NOT NULL,
  name_col  INTEGER NOT NULL,
  decl_off  INTEGER NOT NULL,
  decl_end  INTEGER NOT NULL,
  parent    INTEGER NOT NULL,
  flags     INTEGER NOT NULL
);
CREATE INDEX object_symbol ON object (symbol);
CREATE INDEX object_parent ON object (parent) WHERE parent != 0;
CREATE INDEX object_path ON object (path, decl_off);

CREATE TABLE "use" (
  id        INTEGER PRIMARY KEY,
  symbol    INTEGER NOT NULL,
  path      INTEGER NOT NULL,
  off       INTEGER NOT NULL,
  line      INTEGER NOT NULL,
  col       INTEGER NOT NULL,
  len       INTEGER NOT NULL,
  role      INTEGER NOT NULL,
  encl      INTEGER NOT NULL,
  encl_init INTEGER NOT NULL
);
CREATE INDEX use_symbol ON "use" (symbol);
CREATE INDEX use_encl ON "use" (encl);

CREATE TABLE import (
  id      INTEGER PRIMARY KEY,
  path    INTEGER NOT NULL,
  import  TEXT NOT NULL,
  name    TEXT NOT NULL,
  off     INTEGER NOT NULL,
  pkgname TEXT NOT NULL
);
CREATE INDEX import_path ON import (path);

-- method.method is the declared method that the member of `type` leads to; `name` is the part of `ident`
-- after the package path that makes an unexported name unique; `ptr` is 1 for a method of the pointer alone
-- and 2 for one of an interface.
CREATE TABLE method (
  id     INTEGER PRIMARY KEY,
  type   INTEGER NOT NULL,
  ptr    INTEGER NOT NULL,
  ident  TEXT NOT NULL,
  name   TEXT NOT NULL,
  sig    TEXT NOT NULL,
  via    INTEGER NOT NULL,
  method INTEGER NOT NULL
);
CREATE INDEX method_type ON method (type);
CREATE INDEX method_method ON method (method);
CREATE INDEX method_ident ON method (ident);

CREATE TABLE assertion (
  id        INTEGER PRIMARY KEY,
  type      INTEGER NOT NULL,
  interface INTEGER NOT NULL,
  path      INTEGER NOT NULL,
  off       INTEGER NOT NULL,
  form      TEXT NOT NULL
);
CREATE INDEX assertion_type ON assertion (type);

-- Statements that refer to no object: form is `go` or `panic`; encl is the declaration they stand in.
CREATE TABLE effect (
  id        INTEGER PRIMARY KEY,
  encl      INTEGER NOT NULL,
  encl_init INTEGER NOT NULL,
  path      INTEGER NOT NULL,
  off       INTEGER NOT NULL,
  line      INTEGER NOT NULL,
  col       INTEGER NOT NULL,
  form      TEXT NOT NULL
);
CREATE INDEX effect_encl ON effect (encl);
