extension PrivateKeyring {
    private var database: String { "\(directory)/data/test.kdbx" }

    /// Makes a database that exposes one group, and settings that allow no prompts except those of the state.
    ///
    /// It saves when it locks and when it ends, unless it prompts then. With its default, which is to save after every
    /// change, KeePassXC 2.7.4 sometimes crashed under the tests, or reported no change, for an unknown reason. Without
    /// an icon in the tray, 2.7.10 crashes when it shows its window while a password arrives on its standard input.
    func prepareKeePassXC(for state: State) throws {
        let source = "\(directory)/data/test.xml"
        // Sixteen bytes, all zero except for the last one.
        let (root, group) = ("AAAAAAAAAAAAAAAAAAAAAQ==", "AAAAAAAAAAAAAAAAAAAAAg==")
        try Files.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <KeePassFile>
              <Meta>
                <DatabaseName>test</DatabaseName>
                <CustomData>
                  <Item>
                    <Key>FDO_SECRETS_EXPOSED_GROUP</Key>
                    <Value>{00000000-0000-0000-0000-000000000002}</Value>
                  </Item>
                </CustomData>
              </Meta>
              <Root>
                <Group>
                  <UUID>\(root)</UUID>
                  <Name>Root</Name>
                  <Group><UUID>\(group)</UUID><Name>secrets</Name></Group>
                </Group>
              </Root>
            </KeePassFile>
            """,
            to: source
        )
        let made = try run(
            "keepassxc-cli",
            ["import", "-q", "-p", "-t", "100", source, database],
            input: "\(Self.password)\n\(Self.password)\n"
        )
        guard made.status == 0 else { throw PrivateKeyringError("no database: \(made.standardError)") }
        try Files.write(
            """
            [General]
            ConfigVersion=2
            AutoSaveAfterEveryChange=false
            AutoSaveOnExit=\(state != .askingToSave)
            UpdateCheckMessageShown=true
            [FdoSecrets]
            Enabled=true
            ConfirmAccessItem=\(state == .confirming)
            ConfirmDeleteItem=false
            ShowNotification=false
            [GUI]
            CheckForUpdates=false
            MinimizeOnStartup=true
            ShowTrayIcon=true
            """,
            to: "\(directory)/config/keepassxc.ini"
        )
    }

    func startKeePassXC(unlocked: Bool) throws {
        let settings = [
            "--config", "\(directory)/config/keepassxc.ini", "--localconfig", "\(directory)/config/local.ini",
        ]
        try spawnDaemon(
            ["keepassxc"] + settings + (unlocked ? ["--pw-stdin"] : []) + [database],
            input: unlocked ? "\(Self.password)\n" : ""
        )
        // It owns its name before its database is open.
        if unlocked { try awaitDefaultCollection(locked: false) } else { try awaitDaemon() }
    }
}
