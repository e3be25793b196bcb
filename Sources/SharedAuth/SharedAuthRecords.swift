// What an app says of its store (`.secretService()`, `.encryptedFile(key:)`, `.inMemory()`), and what a store of its own has to
// do, is public there. An app imports SharedAuth alone for all of it.
@_exported public import SharedAuthRecords
