#!/bin/sh
# Makes test/fixtures/keys/gpg with GnuPG 2.2 or later: public keys without expiry, and signatures of one small file.
# The private keys are thrown away. Run it from the root of the project.
set -eu
out=test/fixtures/keys/gpg
home=$(mktemp -d)
trap 'gpgconf --homedir "$home" --kill all; rm -rf "$home"' EXIT
chmod 700 "$home"
rm -rf "$out"
mkdir -p "$out"
printf 'A small file, signed by GnuPG.\n' > "$out/file.txt"
run() {
  moment=$1
  shift
  gpg --homedir "$home" --batch --quiet --no-tty --pinentry-mode loopback --passphrase '' --faked-system-time "$moment" "$@"
}
for kind in rsa3072 ed25519 nistp256; do
  address="$kind@example.org"
  run 20240101T000000 --quick-generate-key "Example $kind <$address>" "$kind" sign never
  run 20240501T000000 --local-user "$address" --armor --output "$out/$kind.sig.asc" --detach-sign "$out/file.txt"
  run 20240501T000000 --armor --output "$out/$kind.key.asc" --export "$address"
done
run 20240501T000000 --local-user rsa3072@example.org --output "$out/rsa3072.sig.bin" --detach-sign "$out/file.txt"
run 20240501T000000 --local-user rsa3072@example.org --digest-algo SHA512 --armor --output "$out/rsa3072-sha512.sig.asc" --detach-sign "$out/file.txt"
run 20240501T000000 --local-user rsa3072@example.org --armor --output "$out/rsa3072.clear.asc" --clear-sign "$out/file.txt"
run 20240501T000000 --local-user rsa3072@example.org --armor --output "$out/rsa3072.inline.asc" --sign "$out/file.txt"
# A primary key that certifies only, with a subkey that signs.
run 20240101T000000 --quick-generate-key 'Example subkey <subkey@example.org>' ed25519 cert never
fingerprint=$(gpg --homedir "$home" --batch --with-colons --list-keys subkey@example.org | awk -F: '/^fpr/ {print $10; exit}')
run 20240102T000000 --quick-add-key "$fingerprint" ed25519 sign never
run 20240501T000000 --local-user subkey@example.org --armor --output "$out/subkey.sig.asc" --detach-sign "$out/file.txt"
run 20240501T000000 --armor --output "$out/subkey.key.asc" --export subkey@example.org
run 20240501T000000 --output "$out/all.key.bin" --export
fingerprint() {
  gpg --homedir "$home" --batch --with-colons --list-keys "$1@example.org" | awk -F: '/^fpr/ {print $10; exit}'
}
sign() {
  run "$1" --local-user "$2@example.org" --armor --output "$out/$3.sig.asc" --detach-sign "$out/file.txt"
}
publish() {
  run 20240520T000000 --armor --output "$out/$1.key.asc" --export "$1@example.org"
}
# Other kinds, also as subkeys.
for kind in rsa4096 nistp384 nistp521; do
  run 20240101T000000 --quick-generate-key "Example $kind <$kind@example.org>" "$kind" sign never
  sign 20240501T000000 "$kind" "$kind"
  publish "$kind"
done
for kind in rsa3072 nistp384; do
  algorithm=$kind
  [ "$kind" = rsa3072 ] || algorithm=$kind/ecdsa
  run 20240101T000000 --quick-generate-key "Example sub-$kind <sub-$kind@example.org>" ed25519 cert never
  run 20240102T000000 --quick-add-key "$(fingerprint "sub-$kind")" "$algorithm" sign never
  sign 20240501T000000 "sub-$kind" "sub-$kind"
  publish "sub-$kind"
done
# A signature that expires; a key, and a subkey, that have expired since they signed.
run 20240501T000000 --local-user ed25519@example.org --default-sig-expire 10d --armor --output "$out/expires.sig.asc" --detach-sign "$out/file.txt"
run 20240101T000000 --quick-generate-key 'Example expired <expired@example.org>' ed25519 sign 140d
sign 20240501T000000 expired expired
publish expired
run 20240101T000000 --quick-generate-key 'Example subkey-expired <subkey-expired@example.org>' ed25519 cert never
run 20240102T000000 --quick-add-key "$(fingerprint subkey-expired)" ed25519 sign 140d
sign 20240501T000000 subkey-expired subkey-expired
publish subkey-expired
# A key, and a subkey, that are revoked after they signed.
run 20240101T000000 --quick-generate-key 'Example revoked <revoked@example.org>' ed25519 sign never
sign 20240501T000000 revoked revoked
sed 's/^:-----/-----/' "$home/openpgp-revocs.d/$(fingerprint revoked).rev" > "$home/revoke.asc"
run 20240510T000000 --import "$home/revoke.asc"
publish revoked
run 20240101T000000 --quick-generate-key 'Example subkey-revoked <subkey-revoked@example.org>' ed25519 cert never
run 20240102T000000 --quick-add-key "$(fingerprint subkey-revoked)" ed25519 sign never
sign 20240501T000000 subkey-revoked subkey-revoked
printf 'key 1\nrevkey\ny\n1\n\ny\nsave\n' | gpg --homedir "$home" --quiet --no-tty --pinentry-mode loopback --passphrase '' --faked-system-time 20240510T000000 --command-fd 0 --status-fd 2 --edit-key "$(fingerprint subkey-revoked)" 2> "$home/edit.log"
publish subkey-revoked
