#!/bin/sh
# Makes test/fixtures/keys/signing with GnuPG 2.2 or later: secret keys for tests that sign, whose time ends in 2104 or never. They are
# public, so nobody may trust them. Run it from the root of the project.
set -eu
out=test/fixtures/keys/signing
home=$(mktemp -d)
trap 'gpgconf --homedir "$home" --kill all; rm -rf "$home"' EXIT
chmod 700 "$home"
rm -rf "$out"
mkdir -p "$out"
run() {
  moment=$1 pass=$2
  shift 2
  gpg --homedir "$home" --batch --quiet --no-tty --pinentry-mode loopback --passphrase "$pass" --faked-system-time "$moment" "$@"
}
fingerprint() {
  gpg --homedir "$home" --batch --with-colons --list-keys "$1@example.org" | awk -F: '/^fpr/ {print $10; exit}'
}
for kind in rsa3072 rsa4096 ed25519 nistp256 nistp384 nistp521; do
  run 20240101T000000 '' --quick-generate-key "Example $kind <$kind@example.org>" "$kind" sign never
  run 20240501T000000 '' --armor --output "$out/$kind.secret.asc" --export-secret-keys "$kind@example.org"
  run 20240501T000000 '' --armor --output "$out/$kind.public.asc" --export "$kind@example.org"
done
run 20240501T000000 '' --output "$out/ed25519.secret.gpg" --export-secret-keys ed25519@example.org
# A key behind a passphrase, and one whose primary key certifies only and stays at home.
run 20240101T000000 'correct horse' --quick-generate-key 'Example locked <locked@example.org>' rsa3072 sign never
run 20240501T000000 'correct horse' --armor --output "$out/locked.secret.asc" --export-secret-keys locked@example.org
run 20240501T000000 '' --armor --output "$out/locked.public.asc" --export locked@example.org
run 20240101T000000 'correct horse' --quick-generate-key 'Example subkey <subkey@example.org>' ed25519 cert never
run 20240102T000000 'correct horse' --quick-add-key "$(fingerprint subkey)" rsa3072 sign never
run 20240501T000000 'correct horse' --armor --output "$out/subkey.secret.asc" --export-secret-subkeys subkey@example.org
run 20240501T000000 '' --armor --output "$out/subkey.public.asc" --export subkey@example.org
run 20240101T000000 '' --quick-generate-key 'Example expires <expires@example.org>' ed25519 sign 2104-01-01
run 20240501T000000 '' --armor --output "$out/expires.secret.asc" --export-secret-keys expires@example.org
run 20240501T000000 '' --armor --output "$out/expires.public.asc" --export expires@example.org
# Keys that must not sign: no longer valid in 2024-05, revoked, for certificates only.
run 20240101T000000 '' --quick-generate-key 'Example expired <expired@example.org>' ed25519 sign 30d
run 20240102T000000 '' --armor --output "$out/expired.secret.asc" --export-secret-keys expired@example.org
run 20240101T000000 '' --quick-generate-key 'Example certifies <certifies@example.org>' ed25519 cert never
run 20240102T000000 '' --armor --output "$out/certifies.secret.asc" --export-secret-keys certifies@example.org
run 20240101T000000 '' --quick-generate-key 'Example revoked <revoked@example.org>' ed25519 sign never
sed 's/^:-----/-----/' "$home/openpgp-revocs.d/$(fingerprint revoked).rev" > "$home/revoke.asc"
run 20240201T000000 '' --import "$home/revoke.asc"
run 20240501T000000 '' --armor --output "$out/revoked.secret.asc" --export-secret-keys revoked@example.org
# Subkeys that must not sign, of a primary key that certifies only: one has expired, one is revoked.
run 20240101T000000 '' --quick-generate-key 'Example subkey-expired <subkey-expired@example.org>' ed25519 cert never
run 20240102T000000 '' --quick-add-key "$(fingerprint subkey-expired)" ed25519 sign 30d
run 20240103T000000 '' --armor --output "$out/subkey-expired.secret.asc" --export-secret-subkeys subkey-expired@example.org
run 20240101T000000 '' --quick-generate-key 'Example replaced <replaced@example.org>' ed25519 cert never
run 20240102T000000 '' --quick-add-key "$(fingerprint replaced)" ed25519 sign never
printf 'key 1\nrevkey\ny\n1\n\ny\nsave\n' | gpg --homedir "$home" --quiet --no-tty --pinentry-mode loopback --passphrase '' --faked-system-time 20240201T000000 --command-fd 0 --status-fd 2 --edit-key "$(fingerprint replaced)" 2> "$home/edit.log"
run 20240201T000000 '' --armor --output "$out/subkey-revoked.secret.asc" --export-secret-subkeys replaced@example.org
# The same with a new subkey in place of the revoked one.
run 20240202T000000 '' --quick-add-key "$(fingerprint replaced)" nistp384/ecdsa sign never
run 20240501T000000 '' --armor --output "$out/replaced.secret.asc" --export-secret-subkeys replaced@example.org
run 20240501T000000 '' --armor --output "$out/replaced.public.asc" --export replaced@example.org
