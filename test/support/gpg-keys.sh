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
