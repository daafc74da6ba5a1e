#!/usr/bin/env bash
# Back up everything, encrypted before it reaches a disk, and remove what is older than KEEP_DAYS.
#
#   BACKUP_FOLDER=/var/backups/confide BACKUP_RECIPIENTS=/etc/confide/backup.pub deploy/backup.sh
#
# The recipients' file has age public keys (`age-keygen -o key.txt`); the private key stays elsewhere.
# Old backups hold what people asked to have erased since: keep them as short as you can.
set -euo pipefail
folder=${BACKUP_FOLDER:?name the folder for backups}
recipients=${BACKUP_RECIPIENTS:?name the file with age public keys}
keep_days=${KEEP_DAYS:-14}

umask 077
mkdir -p "$folder"
name="confide-$(date -u +%Y%m%dT%H%M%SZ).age"
trap 'rm -f "$folder/.$name.part"' EXIT
confide backup - | age -R "$recipients" > "$folder/.$name.part"
mv "$folder/.$name.part" "$folder/$name"
find "$folder" -maxdepth 1 -name 'confide-*.age' -mtime "+$keep_days" -delete
echo "$folder/$name"
