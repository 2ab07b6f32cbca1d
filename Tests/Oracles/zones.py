# Prints the changes of all zones between two moments, one zone a line: the name, the offset at the beginning, and for each
# change its moment in seconds since 1970 and the offset behind it.
import datetime, sys, zoneinfo

begin, end = (int(datetime.datetime(year, 1, 1, tzinfo=datetime.timezone.utc).timestamp()) for year in (2020, 2030))
DAY = 86400


def offset(zone, moment):
    return int(datetime.datetime.fromtimestamp(moment, zone).utcoffset().total_seconds())


for name in sorted(zoneinfo.available_timezones()):
    zone = zoneinfo.ZoneInfo(name)
    before = offset(zone, begin)
    words = [name, before]
    for moment in range(begin, end, DAY):
        after = offset(zone, moment + DAY)
        if after == before:
            continue
        low, high = moment, moment + DAY
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if offset(zone, middle) == before else (low, middle)
        words += [high, after]
        before = after
    print(*words)
