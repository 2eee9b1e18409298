// The first thing that anyone sees: the link that `verbatim serve` prints.
import { expect, open, test } from '../verbatim.mjs';

test('the one-time link opens the sessions page and leaves no code behind', async ({ page, verbatim }) => {
  await open(page, verbatim);

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sessions');
  expect(page.url()).not.toContain('#c=');
});
