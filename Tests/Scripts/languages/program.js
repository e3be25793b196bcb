// A program in JavaScript for test_programs.py. Plays the part that its first argument names, and prints the results.

import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import System from 'system';
import SharedAuth from 'gi://SharedAuth?version=1';

const [part, app_id, project, access_group] = ARGV;
const issuer = 'https://example.org';
const {Session, RequestKind} = SharedAuth;
const calls = ['load', 'use_access_group', 'get_stored_user', 'sign_in_anonymously', 'sign_in_with_password',
    'create_user', 'sign_out', 'get_id_token', 'get_access_token'];
for (const name of calls)
    Gio._promisify(Session.prototype, `${name}_async`, `${name}_finish`);
for (const name of ['get_id_token', 'reload', 'sign_out'])
    Gio._promisify(SharedAuth.User.prototype, `${name}_async`, `${name}_finish`);

const inAnHour = () => Date.now() / 1000 + 3600;

const stateNames = new Map(Object.entries(SharedAuth.State).map(([name, value]) => [value, name]));

// Prints the error of a call that fails.
async function fails(promise) {
    try {
        print('no error', await promise);
    } catch (error) {
        print('failed', GLib.quark_to_string(error.domain), error.code);
    }
}

const parts = {
    // Prints changes until the process is ended.
    watch() {
        const session = new Session({app_id, project, access_group: access_group ?? null});
        const show = () => print('state', stateNames.get(session.state));
        show();
        session.connect('notify::state', show);
        session.connect('notify::error', () => session.error && print('error', session.error.code));
        session.connect('notify::access-group', () => print('group', session.access_group));
        session.connect('announced', (_, user) => {
            print('announced', user?.uid ?? 'nobody');
            user?.connect('notify::display-name', () => print('renamed', user.display_name));
        });
        return new Promise(() => {});
    },

    async account() {
        const session = new Session({app_id, project, identity_provider: new SharedAuth.LocalProvider()});
        print('loaded', await session.load_async(null));
        await fails(session.create_user_async('ada@example.org', 'x', null));
        const user = await session.create_user_async('ada@example.org', 'correct horse', null);
        print('created', user.email, user.is_anonymous, user === session.user);
        print('accounts', [...session.accounts].map(account => account.email).join());
        print('token', (await session.get_id_token_async(false, null)).split('.').length);
        const stored = await session.get_stored_user_async(null, null);
        print('stored', stored.email);
        await fails(session.use_access_group_async('nonsense', null));
        const cancellable = Gio.Cancellable.new();
        cancellable.cancel();
        await fails(session.sign_out_async(cancellable));
        print('signed out', await session.sign_out_async(null), session.user);
        try {
            await session.sign_in_with_password_async('ada@example.org', 'wrong horse', null);
        } catch (error) {
            print('wrong password', error.matches(SharedAuth.Error, SharedAuth.Error.WRONG_PASSWORD));
        }
    },

    // Cancels a call that waits for the keyring.
    async cancel() {
        const session = new Session({app_id, project});
        const cancellable = Gio.Cancellable.new();
        const stored = session.get_stored_user_async(null, cancellable);
        cancellable.cancel();
        await fails(stored);
    },

    // Closes sessions whose providers refer to them, and collects garbage until the process is ended.
    async close(rounds) {
        const make = () => {
            const provider = new SharedAuth.CustomProvider({issuer});
            const session = new Session({app_id, project, identity_provider: provider});
            provider.connect('sign-in', (_, request) => request.return_error(session.state, 'no'));
            return session;
        };
        const first = make();
        await first.load_async(null);
        first.close();
        first.close();
        await fails(first.load_async(null));
        print('state', stateNames.get(first.state), first.user, first.identity_provider);
        const other = new Session({app_id, project, timeout: 1000});
        print('loaded', await other.load_async(null));
        other.close();
        for (let round = 0; round < Number(rounds); round++)
            make().close();
        for (;;) {
            await new Promise(resolve => GLib.timeout_add(GLib.PRIORITY_DEFAULT, 20, () => resolve()));
            System.gc();
        }
    },

    async provider() {
        const provider = new SharedAuth.CustomProvider({issuer});
        const cancellable = Gio.Cancellable.new();
        let kept;
        provider.connect('sign-in', (_, request) => {
            if (request.kind === RequestKind.ANONYMOUS) {
                // Not completed: the request fails when its object is collected as garbage.
                GLib.idle_add(GLib.PRIORITY_DEFAULT, () => System.gc());
            } else if (request.kind === RequestKind.NEW_ACCOUNT) {
                kept = request;
                kept.cancellable.connect(() => print('request cancelled'));
                cancellable.cancel();
            } else if (request.password === 'right') {
                request.return_tokens('ada', 'id-1', 'refresh-1', inAnHour());
            } else {
                request.return_error(SharedAuth.Error.WRONG_PASSWORD, 'The password is wrong.');
            }
        });
        provider.connect('refresh', (_, request) => {
            print('refresh', request.refresh_token);
            request.return_tokens('ada', 'id-2', 'refresh-2', inAnHour());
            // Ignored.
            request.return_tokens('ada', 'id-3', 'refresh-3', inAnHour());
        });
        provider.connect('profile', (_, request) =>
            request.return_profile('ada', 'ada@example.org', true, 'Ada', null));
        const revoked = new Promise(resolve => provider.connect('revoke', (_, request) => {
            request.return_done();
            resolve(request.refresh_token);
        }));

        const session = new Session({app_id, project, identity_provider: provider});
        await fails(session.sign_in_with_password_async('ada@example.org', 'wrong', null));
        const user = await session.sign_in_with_password_async('ada@example.org', 'right', null);
        print('signed in', user.uid, user.issuer, user.display_name, user.is_email_verified);
        print('token', await session.get_id_token_async(false, null));
        print('token', await session.get_id_token_async(true, null));
        await session.sign_out_async(null);
        print('revoked', await revoked);
        await fails(session.sign_in_anonymously_async(null));
        await fails(session.create_user_async('eve@example.org', 'right', cancellable));
    },

    // Options and classes that are errors.
    async misuse() {
        const Mine = GObject.registerClass(class Mine extends SharedAuth.IdentityProvider {});
        await fails(new Session({app_id, project, identity_provider: new Mine()}).sign_in_anonymously_async(null));
        await fails(new Session({project}).load_async(null));
        await fails(new Session({app_id, project, access_groups: []}).load_async(null));
        const identity_provider = new SharedAuth.OpenIDProvider({issuer, client_id: 'desktop', scopes: []});
        await fails(new Session({app_id, project, identity_provider}).load_async(null));
    },

    // Access tokens, and tokens that come after a sign-in was cancelled.
    async tokens() {
        const provider = new SharedAuth.CustomProvider({issuer});
        const cancellable = Gio.Cancellable.new();
        let kept;
        provider.connect('sign-in', (_, request) => {
            if (request.kind === RequestKind.NEW_ACCOUNT) {
                kept = request;
                cancellable.cancel();
                return;
            }
            request.add_access_token('access-1', null, inAnHour());
            request.return_tokens('ada', null, 'refresh-1', 0);
        });
        provider.connect('refresh', (_, request) => {
            request.add_access_token(`access-for-${request.scopes.join('-')}`, null, inAnHour());
            request.return_tokens('ada', null, 'refresh-2', 0);
        });
        const revoked = new Promise(resolve => provider.connect('revoke', (_, request) => {
            request.return_done();
            resolve(request.refresh_token);
        }));
        const session = new Session({app_id, project, identity_provider: provider});
        await session.sign_in_with_password_async('ada@example.org', 'right', null);
        print('token', await session.get_access_token_async(null, false, null));
        print('token', await session.get_access_token_async(['write', 'read'], false, null));
        await fails(session.get_access_token_async([], false, null));
        await fails(session.create_user_async('eve@example.org', 'right', cancellable));
        kept.return_tokens('eve', null, 'refresh-3', inAnHour());
        print('revoked', await revoked);
    },

    // Calls of two users, of whom one is current.
    async users() {
        const identity_provider = new SharedAuth.LocalProvider();
        const session = new Session({app_id, project, identity_provider, keeps_other_users: true});
        const guest = await session.sign_in_anonymously_async(null);
        const ada = await session.create_user_async('ada@example.org', 'correct horse', null);
        const tokens = await Promise.all([guest, ada].map(user => user.get_id_token_async(true, null)));
        print('tokens', new Set(tokens).size, session.user === ada);
        await guest.reload_async(null);
        print('signed out', await guest.sign_out_async(null), session.user === ada, [...session.accounts].length);
        await fails(new SharedAuth.User().sign_out_async(null));
        session.close();
        await fails(ada.get_id_token_async(false, null));
    },

    // Gets the token of the first user who is announced.
    async refresh() {
        const provider = new SharedAuth.CustomProvider({issuer});
        let asked = 0;
        provider.connect('refresh', (_, request) => {
            asked++;
            request.return_tokens('ada', 'id-of-JavaScript', 'refresh-1', inAnHour());
        });
        const session = new Session({app_id, project, identity_provider: provider});
        print('loaded', await session.load_async(null));
        await new Promise(resolve => session.connect('announced', (_, user) => user && resolve()));
        print(await session.get_id_token_async(false, null), asked);
    },
};

await parts[part](access_group);
