// A program in Vala for test_programs.py. Plays the part that its first argument names, and prints the results.

const string ISSUER = "https://example.org";

int64 in_an_hour () {
    return get_real_time () / 1000000 + 3600;
}

void failed (Error error) {
    print ("failed %s %d\n", error.domain.to_string (), error.code);
}

class Program : Object {
    string app_id;
    string project;

    string? access_group;

    public Program (string app_id, string project, string? access_group) {
        this.app_id = app_id;
        this.project = project;
        this.access_group = access_group;
    }

    SharedAuth.Session session_with (SharedAuth.IdentityProvider? provider) {
        return (SharedAuth.Session) Object.new (typeof (SharedAuth.Session),
            "app-id", app_id, "project", project, "access-group", access_group,
            "identity-provider", provider);
    }

    static void show (SharedAuth.Session session) {
        var name = session.state.to_string ();
        print ("state %s\n", name.replace ("SHARED_AUTH_STATE_", ""));
    }

    // Prints changes until the process is ended.
    public void watch () {
        var session = session_with (null);
        SharedAuth.User? current = null;
        show (session);
        session.notify["state"].connect (() => show (session));
        session.notify["error"].connect (() => {
            if (session.error != null)
                print ("error %d\n", session.error.code);
        });
        session.notify["access-group"].connect (() => print ("group %s\n", session.access_group));
        session.announced.connect ((user) => {
            print ("announced %s\n", user != null ? user.uid : "nobody");
            current = user;
            if (user != null)
                user.notify["display-name"].connect (() => print ("renamed %s\n", current.display_name));
        });
        new MainLoop ().run ();
    }

    public async void account () throws Error {
        var session = session_with (new SharedAuth.LocalProvider ());
        print ("loaded %s\n", (yield session.load_async ()) == null ? "null" : "a user");
        try {
            yield session.create_user_async ("ada@example.org", "x");
        } catch (Error error) {
            failed (error);
        }
        var user = yield session.create_user_async ("ada@example.org", "correct horse");
        print ("created %s %s %s\n", user.email, user.is_anonymous.to_string (), (user == session.user).to_string ());
        print ("accounts %s\n", ((SharedAuth.User) session.accounts.get_item (0)).email);
        print ("token %d\n", (yield session.get_id_token_async (false)).split (".").length);
        var stored = yield session.get_stored_user_async (null);
        print ("stored %s\n", stored.email);
        try {
            yield session.use_access_group_async ("nonsense");
        } catch (Error error) {
            failed (error);
        }
        var cancellable = new Cancellable ();
        cancellable.cancel ();
        try {
            yield session.sign_out_async (cancellable);
        } catch (Error error) {
            failed (error);
        }
        var is_out = yield session.sign_out_async ();
        print ("signed out %s %s\n", is_out.to_string (), session.user == null ? "null" : "a user");
        try {
            yield session.sign_in_with_password_async ("ada@example.org", "wrong horse");
        } catch (SharedAuth.Error.WRONG_PASSWORD error) {
            print ("wrong password true\n");
        }
    }

    // Cancels a call that waits for the keyring.
    public async void cancel () {
        var session = session_with (null);
        var cancellable = new Cancellable ();
        session.get_stored_user_async.begin (null, cancellable, (_, result) => {
            try {
                session.get_stored_user_async.end (result);
            } catch (Error error) {
                failed (error);
            }
            cancel.callback ();
        });
        cancellable.cancel ();
        yield;
    }

    public async void provider () throws Error {
        var server = new SharedAuth.CustomProvider (ISSUER);
        var cancellable = new Cancellable ();
        SharedAuth.Request? kept = null;
        server.sign_in.connect ((request) => {
            if (request.kind == SharedAuth.RequestKind.ANONYMOUS) {
                // Not completed: the request fails when its object is finalized.
            } else if (request.kind == SharedAuth.RequestKind.NEW_ACCOUNT) {
                kept = request;
                kept.cancellable.cancelled.connect (() => print ("request cancelled\n"));
                cancellable.cancel ();
            } else if (request.password == "right") {
                request.return_tokens ("ada", "id-1", "refresh-1", in_an_hour ());
            } else {
                request.return_error (SharedAuth.Error.WRONG_PASSWORD, "The password is wrong.");
            }
        });
        server.refresh.connect ((request) => {
            print ("refresh %s\n", request.refresh_token);
            request.return_tokens ("ada", "id-2", "refresh-2", in_an_hour ());
            // Ignored.
            request.return_tokens ("ada", "id-3", "refresh-3", in_an_hour ());
        });
        server.profile.connect ((request) => request.return_profile ("ada", "ada@example.org", true, "Ada", null));
        string? revoked = null;
        SourceFunc? resume = null;
        server.revoke.connect ((request) => {
            request.return_done ();
            revoked = request.refresh_token;
            if (resume != null)
                resume ();
        });

        var session = session_with (server);
        try {
            yield session.sign_in_with_password_async ("ada@example.org", "wrong");
        } catch (Error error) {
            failed (error);
        }
        var user = yield session.sign_in_with_password_async ("ada@example.org", "right");
        var is_verified = user.is_email_verified.to_string ();
        print ("signed in %s %s %s %s\n", user.uid, user.issuer, user.display_name, is_verified);
        print ("token %s\n", yield session.get_id_token_async (false));
        print ("token %s\n", yield session.get_id_token_async (true));
        yield session.sign_out_async ();
        if (revoked == null) {
            resume = provider.callback;
            yield;
        }
        print ("revoked %s\n", revoked);
        try {
            yield session.sign_in_anonymously_async ();
        } catch (Error error) {
            failed (error);
        }
        try {
            yield session.create_user_async ("eve@example.org", "right", cancellable);
        } catch (Error error) {
            failed (error);
        }
    }

    // Gets the token of the first user who is announced.
    public async void refresh () throws Error {
        var server = new SharedAuth.CustomProvider (ISSUER);
        var asked = 0;
        server.refresh.connect ((request) => {
            asked++;
            request.return_tokens ("ada", "id-of-Vala", "refresh-1", in_an_hour ());
        });
        var session = session_with (server);
        yield session.load_async ();
        print ("loaded null\n");
        session.announced.connect ((user) => {
            if (user != null)
                refresh.callback ();
        });
        yield;
        print ("%s %d\n", yield session.get_id_token_async (false), asked);
    }
}

async void play (string part, Program program) {
    try {
        if (part == "account")
            yield program.account ();
        else if (part == "cancel")
            yield program.cancel ();
        else if (part == "provider")
            yield program.provider ();
        else
            yield program.refresh ();
    } catch (Error error) {
        printerr ("%s\n", error.message);
    }
}

void main (string[] arguments) {
    var program = new Program (arguments[2], arguments[3], arguments[4]);
    if (arguments[1] == "watch") {
        program.watch ();
        return;
    }
    var loop = new MainLoop ();
    play.begin (arguments[1], program, () => loop.quit ());
    loop.run ();
}
