"""The import as a typical program with aiohttp. Prints the number of added rows and the seconds."""

import asyncio
import csv
import sys
import time

import aiohttp


async def main(path: str, address: str, in_flight: int) -> None:
    start = time.perf_counter()
    added = 0
    headers = {"Accept": "application/json", "Authorization": "Bearer " + "x" * 800}
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        next(rows)
        connector = aiohttp.TCPConnector(limit=in_flight)
        async with aiohttp.ClientSession(connector=connector, headers=headers) as session:

            async def work() -> None:
                nonlocal added
                for row in rows:
                    async with session.post(address, data={"Text": row[0]}) as response:
                        await response.json()
                        if response.status != 201:
                            raise RuntimeError("a row failed")
                        added += 1

            await asyncio.gather(*(work() for _ in range(in_flight)))
    print(added, time.perf_counter() - start)


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
